import SwiftDataCore

extension SchemaStepBuilder {
  /// Adds the checks for values that are to be unique, and the composition of texts among them.
  mutating func checkUniqueness(
    _ members: [EntityDescription], _ sources: [RowSource], _ query: String
  ) {
    guard !sources.isEmpty else { return }
    var known: Set<[String]> = []
    for member in members {
      for constraint in member.uniqueness where known.insert(constraint).inserted {
        let isOld =
          sources.count == 1
          && sources.allSatisfy { source in
            source.old.uniqueness.contains(constraint)
              && constraint.allSatisfy { name in
                source.columns.contains { $0.column.name == name && $0.asIs?.name == name }
              }
          }
        let isUnmoved = sources.allSatisfy { source in
          source.isAsIs && source.old.table == member.table
            && old[member.name]?.uniqueness.contains(constraint) == true
        }
        if isOld || isUnmoved { continue }
        check(constraint, of: member, sources, query)
      }
    }
    for source in sources { recordCompositions(source) }
  }

  private mutating func check(
    _ constraint: [String], of member: EntityDescription, _ sources: [RowSource], _ query: String
  ) {
    let names = constraint.map(SQLIdentifier.quoted)
    let list = names.joined(separator: ", ")
    let present = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let property = constraint.joined(separator: ", ")
    let name = "\(member.name) (\(property))"
    let explanation: @Sendable (Int) -> String = { count in
      "\(name) is to be unique, but \(count) models share their values with another. Change or"
        + " delete them before, for instance in the `willMigrate` of a custom stage."
    }
    step.checks.append(
      RowCheck(
        code: .notUnique, entity: member.name, property: property,
        query: "WITH r AS (\(query)) SELECT \(SQLIdentifier.rowID) FROM r WHERE (\(list)) IN"
          + " (SELECT \(list) FROM r WHERE \(present) GROUP BY \(list) HAVING count(*) > 1)"
          + " ORDER BY \(list)", explanation: explanation))
    guard sources.contains(where: { constraint.contains(where: $0.isUncomposed) }) else { return }
    let columns = constraint.compactMap { name in
      sources.compactMap { column(name, of: $0) }.first
    }
    guard columns.count == constraint.count else { return }
    step.uniqueTexts.append(
      UniqueTextCheck(
        entity: member.name, property: property,
        query: "WITH r AS (\(query)) SELECT \(SQLIdentifier.rowID), \(list) FROM r"
          + " WHERE \(present)",
        columns: columns, explanation: explanation))
  }

  /// A column of a constraint as the check reads it: in its old form, or in the new one where rows get a default value.
  private func column(_ name: String, of source: RowSource) -> UniqueTextCheck.Column? {
    for property in source.entity.properties {
      guard let column = property.columns.first(where: { $0.name == name }) else { continue }
      var forms = [(source.entity, property)]
      if let former = matching(source.entity.name)?[property] { forms.append((source.old, former)) }
      return UniqueTextCheck.Column(
        kind: column.kind,
        sealedNames: forms.filter { $0.1.storage.isEncrypted }.map {
          ColumnCipher.name(
            table: $0.table, originalName: $1.originalName, members: column.members)
        })
    }
    return nil
  }

  private mutating func recordCompositions(_ source: RowSource) {
    for name in Set(source.entity.uniqueness.joined()).sorted() where source.isUncomposed(name) {
      let property = source.entity.properties.first { property in
        property.columns.contains { $0.name == name }
      }
      guard let property, let column = property.columns.first(where: { $0.name == name }),
        !property.storage.isExternal
      else { continue }
      step.compositions.append(
        TextComposition(
          entity: source.entity.sharesTable ? source.entity.name : nil, table: source.entity.table,
          column: name,
          sealedName: property.storage.isEncrypted
            ? ColumnCipher.name(
              table: source.entity.table, originalName: property.originalName,
              members: column.members) : nil))
    }
  }
}

extension RowSource {
  /// Whether a column may have texts that aren't composed, as unique ones are: it wasn't unique before.
  fileprivate func isUncomposed(_ name: String) -> Bool {
    guard let value = columns.first(where: { $0.column.name == name }),
      value.column.kind == .text, value.constant == nil
    else { return false }
    guard let former = value.asIs, former.kind == .text else { return true }
    return !old.uniqueness.joined().contains(former.name)
  }
}
