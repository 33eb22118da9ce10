import SwiftDataCore

/// The value of one column of a new table.
struct ColumnSource {
  let column: ColumnDescription
  /// SQL on a row `s` of the old table.
  var expression: String
  /// The old column that is taken over unchanged.
  var asIs: ColumnDescription?
  /// The value when it is the same for all rows.
  var constant: SQLValue?
}

/// The rows of one entity that are copied into a new table.
struct RowSource {
  let entity: EntityDescription
  let old: EntityDescription
  /// All columns of the entity.
  let columns: [ColumnSource]

  var condition: String {
    old.sharesTable ? " WHERE s.\"_entity\" = \(SQLIdentifier.literal(entity.name))" : ""
  }

  var from: String { " FROM \(SQLIdentifier.quoted(old.table)) AS s\(condition)" }

  /// The old IDs of rows that meet a condition on `s`.
  func rows(where condition: String) -> String {
    "SELECT s.\(SQLIdentifier.rowID) FROM \(SQLIdentifier.quoted(old.table)) AS s"
      + (self.condition.isEmpty
        ? " WHERE (\(condition))" : "\(self.condition) AND (\(condition))")
  }

  var isAsIs: Bool { columns.allSatisfy { $0.asIs?.name == $0.column.name } }
}

extension SchemaStepBuilder {
  mutating func makeTable(
    _ name: String, _ defaults: (EntityPlan, Int) throws -> [SQLValue]?
  ) throws {
    let members = new.entities(in: name)
    if members.allSatisfy({ old[$0.name]?.fingerprint == $0.fingerprint }) {
      return recordLinks(members)
    }
    var sources: [RowSource] = []
    for member in members {
      guard let origin = old[member.name] else { continue }
      let columns = try columns(of: member, from: origin, defaults)
      let source = RowSource(entity: member, old: origin, columns: columns)
      checkValues(source)
      sources.append(source)
    }
    guard let root = members.first(where: { $0.name == name }), let plan = plans[name],
      let definition = root.objects.first(where: { $0.kind == .table && $0.name == name })
    else { return }
    let columns = Self.columns(of: members)
    let names = columns.map(\.name)
    let query = sources.map { select($0, columns, sharesTable: root.sharesTable) }
      .joined(separator: "\nUNION ALL\n")
    checkUniqueness(members, sources, query)
    let formerStatement = old[name]?.objects.first { $0.kind == .table && $0.name == name }?
      .statement
    let isUnmoved = sources.allSatisfy { $0.old.table == name && $0.isAsIs }
    if !sources.isEmpty, isUnmoved, formerStatement == definition.statement { return }
    let temporary = SchemaStep.prefix + name
    var action = sources.isEmpty ? SchemaStep.Table.Action.create : .rebuild
    if let statements = alterations(name, members, sources) {
      guard !statements.isEmpty else { return }
      action = .alter(statements)
    }
    let prefixed = TableDefinition.table(
      plan, plansByType, named: temporary, dialect: dialect)
    step.tables.append(
      SchemaStep.Table(
        name: name, action: action, creation: sources.isEmpty ? definition.statement : prefixed,
        columns: [SQLIdentifier.rowIDName] + (root.sharesTable ? [EntityFamily.discriminator] : [])
          + names,
        source: sources.isEmpty ? nil : query, origins: Set(sources.map(\.old.table)).sorted(),
        counts: sources.map { "SELECT count(*)\($0.from)" }))
  }

  /// The columns of a table, each once.
  private static func columns(of members: [EntityDescription]) -> [ColumnDescription] {
    var known: Set<String> = []
    return members.flatMap(\.columns).filter { known.insert($0.name).inserted }
  }

  private func select(
    _ source: RowSource, _ columns: [ColumnDescription], sharesTable: Bool
  ) -> String {
    var list = [
      "\(rowID("s.\(SQLIdentifier.rowID)", of: source.entity.name))"
        + " AS \(SQLIdentifier.rowID)"
    ]
    if sharesTable { list.append("\(SQLIdentifier.literal(source.entity.name)) AS \"_entity\"") }
    for column in columns {
      let own = source.columns.first { $0.column.name == column.name }
      let value = own.flatMap { $0.constant == .null ? nil : $0.expression }
      list.append(
        "\(value ?? dialect.null(like: column.definition)) AS"
          + " \(SQLIdentifier.quoted(column.name))")
    }
    return "SELECT \(list.joined(separator: ", "))\(source.from)"
  }

  // MARK: - Changing a table in place

  /// The statements that have the same effect as a rebuild; nil when the table can't be changed in place.
  private func alterations(
    _ table: String, _ members: [EntityDescription], _ sources: [RowSource]
  ) -> [String]? {
    guard members.count == 1, sources.count == 1, let source = sources.first,
      source.old.table == table, !source.old.sharesTable, !source.entity.sharesTable
    else { return nil }
    let quoted = SQLIdentifier.quoted(table)
    var names = Set(source.old.columns.map { $0.name.lowercased() })
    var unused = Set(source.old.columns.map(\.name))
    var statements: [String] = []
    for value in source.columns {
      let column = value.column
      let name = SQLIdentifier.quoted(column.name)
      guard column.check == nil else { return nil }
      if let former = value.asIs {
        guard former.definition == column.definition else { return nil }
        unused.remove(former.name)
        guard former.name != column.name else { continue }
        guard names.insert(column.name.lowercased()).inserted else { return nil }
        statements.append(
          "ALTER TABLE \(quoted) RENAME COLUMN \(SQLIdentifier.quoted(former.name)) TO \(name)")
      } else if let constant = value.constant {
        let literal = dialect.literal(constant, of: column.kind)
        let isNull = constant == .null
        guard names.insert(column.name.lowercased()).inserted, !literal.contains("("),
          isNull != column.definition.contains("NOT NULL"),
          isNull || !column.isForeignKey
        else { return nil }
        statements.append(
          "ALTER TABLE \(quoted) ADD COLUMN \(name) \(column.definition)"
            + (isNull ? "" : " DEFAULT \(literal)"))
      } else {
        return nil
      }
    }
    guard unused.isEmpty || dialect.features.dropsColumns else { return nil }
    return statements
      + unused.sorted().map { "ALTER TABLE \(quoted) DROP COLUMN \(SQLIdentifier.quoted($0))" }
  }

  // MARK: - Rows that prevent the migration

  private mutating func checkValues(_ source: RowSource) {
    let matching = matching(source.entity.name)
    for property in source.entity.properties {
      let former = matching?[property]
      for column in source.columns
      where property.columns.contains(where: { $0.name == column.column.name }) {
        let isKey = property.relationship != nil && column.column.kind == .reference
        let isMember = column.column.isRequiredMember == true
        let isRequired = isKey ? !property.isOptional : !column.column.isOptional || isMember
        guard isRequired, column.constant == nil || column.constant == .null else { continue }
        if let asIs = column.asIs, !asIs.isOptional || asIs.isRequiredMember == true { continue }
        if property.relationship != nil, former?.isOptional == false,
          former?.relationship?.isToMany == false
        {
          continue
        }
        guard let condition = absence(of: column, property, former, source) else { continue }
        let name = "\(source.entity.name).\(property.name)"
        step.checks.append(
          RowCheck(
            code: .missingValue, entity: source.entity.name, property: property.name,
            query: source.rows(where: condition),
            explanation: former == nil
              ? Self.newValue(name)
              : Self.missingValue(name, member: column.column.members)))
      }
    }
  }

  /// The condition for rows without a required value; nil when there can't be any.
  private func absence(
    of column: ColumnSource, _ property: PropertyDescription, _ former: PropertyDescription?,
    _ source: RowSource
  ) -> String? {
    let isMissing = "\(column.expression) IS NULL"
    if column.column.isRequiredMember == true {
      // The members of a structure without a value have none.
      let presence = source.columns.first {
        $0.column.kind == .presence && property.columns.contains($0.column)
      }
      guard let presence else { return isMissing }
      guard let constant = presence.constant else {
        return "\(presence.expression) IS NOT NULL AND \(isMissing)"
      }
      return constant == .null ? nil : isMissing
    }
    // Rows in which the whole structure is missing are the subject of another check.
    let formerPresence = former?.columns.first { $0.kind == .presence }
    guard column.constant == nil, let presence = formerPresence else { return isMissing }
    return "\(alias(presence)) IS NOT NULL AND \(isMissing)"
  }

  static func newValue(_ name: String) -> @Sendable (Int) -> String {
    { count in
      "\(name) is new, can't be nil and has no default, but there are \(count) models. Give it a"
        + " default value where it is declared, make it optional, or set it in a custom stage of a"
        + " version in which it is optional."
    }
  }

  /// - Parameter member: The path of the structure's member that is concerned.
  static func missingValue(
    _ name: String, member: [String] = []
  ) -> @Sendable (Int) -> String {
    if !member.isEmpty {
      let path = ([name] + member).joined(separator: ".")
      return { count in
        "\(path) can't be nil, but has no value in \(count) models. Give \(name) a default value where"
          + " it is declared, make the member optional, or set it in a custom stage of a version in"
          + " which it is optional."
      }
    }
    return { count in
      "\(name) can't be nil any more, but is nil in \(count) models. Give it a default value where"
        + " it is declared, or set it in the `willMigrate` of a custom stage."
    }
  }
}
