import SwiftDataCore

extension SchemaStepBuilder {
  /// The sources of an entity's columns, in the entity's order.
  mutating func columns(
    of entity: EntityDescription, from origin: EntityDescription,
    _ defaults: (EntityPlan, Int) throws -> [SQLValue]?
  ) throws -> [ColumnSource] {
    let matching = matching(entity.name)
    var result: [ColumnSource] = []
    for (position, property) in entity.properties.enumerated() {
      let former = matching?[property]
      if property.relationship != nil {
        if let column = property.columns.first {
          result.append(reference(column, property, entity, former))
          result += property.columns.dropFirst().map { order($0, property, entity) }
        } else {
          refuseAttribute(former, becoming: property, entity, origin)
        }
        continue
      }
      guard !property.columns.isEmpty else { continue }
      let values = try plans[entity.name].flatMap { try defaults($0, position) }
      let fallback = values.map {
        Dictionary(uniqueKeysWithValues: zip(property.columns.map(\.name), $0))
      }
      result += attribute(property, entity, former, origin, fallback ?? [:])
    }
    return result
  }

  func alias(_ column: ColumnDescription) -> String {
    "s." + SQLIdentifier.quoted(column.name)
  }

  private func constant(_ column: ColumnDescription, _ value: SQLValue?) -> ColumnSource {
    ColumnSource(
      column: column, expression: dialect.literal(value ?? .null, of: column.kind), asIs: nil,
      constant: value ?? .null)
  }

  private mutating func attribute(
    _ property: PropertyDescription, _ entity: EntityDescription, _ former: PropertyDescription?,
    _ origin: EntityDescription, _ defaults: [String: SQLValue]
  ) -> [ColumnSource] {
    guard let former, !former.columns.isEmpty, former.relationship == nil else {
      refuseRelationship(former, becoming: property, entity)
      return property.columns.map { constant($0, defaults[$0.name]) }
    }
    guard isSameShape(former, property) else {
      refuse(former, becoming: property, entity, origin)
      return property.columns.map { constant($0, defaults[$0.name]) }
    }
    recordRecoding(former, property, entity, origin, defaults)
    let presence = former.columns.first { $0.kind == .presence }.map(alias)
    if let presence, !property.isOptional, defaults.isEmpty {
      refuseAbsence(of: property, entity, origin, where: "\(presence) IS NULL")
    }
    var needsDecoding = false
    let columns = property.columns.map { column -> ColumnSource in
      if column.kind == .presence, presence == nil { return constant(column, .integer(1)) }
      guard let source = Self.source(of: column, in: former),
        let conversion = ValueConversion(from: source, to: column, dialect: dialect)
      else { return added(column, defaults[column.name], to: property, presence) }
      needsDecoding = needsDecoding || conversion.needsDecoding
      if let failure = conversion.failure {
        let value = alias(source)
        refuseValues(
          property, entity, origin, where: "\(value) IS NOT NULL AND (\(failure(value)))", former)
      }
      var expression = conversion.expression(alias(source))
      var isAsIs = conversion.isIdentity && source.kind == column.kind
      if let value = defaults[column.name], let gap = gap(source, column, property, presence) {
        let literal = dialect.literal(value, of: column.kind)
        expression = "CASE WHEN \(gap) THEN \(literal) ELSE \(expression) END"
        isAsIs = false
      }
      return ColumnSource(
        column: column, expression: expression, asIs: isAsIs ? source : nil, constant: nil)
    }
    if needsDecoding {
      let list = columns.map(\.expression).joined(separator: ", ")
      let source = RowSource(entity: entity, old: origin, columns: columns)
      step.decodings.append(
        DecodingCheck(
          entity: entity.name, property: property.name,
          query: "SELECT s.\(SQLIdentifier.rowID),"
            + " \(list)\(source.from)", oldType: former.typeDescription,
          newType: property.typeDescription))
    }
    return columns
  }

  /// The old column with the value of a new one.
  private static func source(
    of column: ColumnDescription, in former: PropertyDescription
  ) -> ColumnDescription? {
    let isPresence = column.kind == .presence
    return former.columns.first {
      $0.members == column.members && ($0.kind == .presence) == isPresence
    }
  }

  /// The value of a member that a structure gets. Rows without a value of an optional structure get none.
  private func added(
    _ column: ColumnDescription, _ value: SQLValue?, to property: PropertyDescription,
    _ presence: String?
  ) -> ColumnSource {
    guard let presence, property.isOptional, let value, value != .null else {
      return constant(column, value)
    }
    let literal = dialect.literal(value, of: column.kind)
    return ColumnSource(
      column: column, expression: "CASE WHEN \(presence) IS NOT NULL THEN \(literal) END",
      asIs: nil, constant: nil)
  }

  /// The rows in which a column gets the property's default value instead of the one of its source; nil for none.
  ///
  /// - Parameter presence: Tells whether the structure had a value, when it was optional.
  private func gap(
    _ source: ColumnDescription, _ column: ColumnDescription, _ property: PropertyDescription,
    _ presence: String?
  ) -> String? {
    let isRequired = !column.isOptional || column.isRequiredMember == true
    let mayBeMissing = source.isOptional && source.isRequiredMember != true
    let missing = isRequired && mayBeMissing ? "\(alias(source)) IS NULL" : nil
    guard let presence else { return missing }
    if property.isOptional { return missing.map { "\(presence) IS NOT NULL AND \($0)" } }
    return missing.map { "\(presence) IS NULL OR \($0)" } ?? "\(presence) IS NULL"
  }

  /// Whether each column of the new form has a source among the old columns that can be converted to it.
  private func isSameShape(_ old: PropertyDescription, _ new: PropertyDescription) -> Bool {
    func isComposite(_ property: PropertyDescription) -> Bool {
      property.columns.contains { !$0.members.isEmpty }
    }
    guard old.storage.transformerName == new.storage.transformerName,
      old.storage.isOpaque == new.storage.isOpaque, isComposite(old) == isComposite(new)
    else { return false }
    let isPlain = [old, new].allSatisfy { !$0.storage.isEncrypted && !$0.storage.isExternal }
    return new.columns.allSatisfy { column in
      guard let source = Self.source(of: column, in: old) else { return true }
      if !isPlain, source.kind != column.kind { return false }
      return ValueConversion(from: source, to: column, dialect: dialect) != nil
    }
  }

  private mutating func recordRecoding(
    _ old: PropertyDescription, _ new: PropertyDescription, _ entity: EntityDescription,
    _ origin: EntityDescription, _ defaults: [String: SQLValue]
  ) {
    func record(_ columns: [ColumnDescription], from old: PropertyDescription) {
      for column in columns {
        step.recodings.append(
          SchemaStep.Recoding(
            entity: entity.name, old: old, new: new, column: column,
            fallback: defaults[column.name], oldTable: origin.table, newTable: entity.table))
      }
    }
    // A structure that becomes optional gets a column, filled with a plain number.
    let added = new.columns.filter {
      $0.kind == .presence && Self.source(of: $0, in: old) == nil && new.storage.isEncrypted
    }
    var plain = old
    plain.storage.isEncrypted = false
    record(added, from: plain)
    let isSame =
      old.storage.isEncrypted == new.storage.isEncrypted
      && (old.storage.isExternal == new.storage.isExternal || new.storage.isExternal)
      && (!new.storage.isEncrypted
        || (origin.table == entity.table && old.originalName == new.originalName))
    guard !isSame else { return }
    record(new.columns.filter { !added.contains($0) }, from: old)
  }

  // MARK: - Changes that can't be inferred

  private mutating func refuseValues(
    _ property: PropertyDescription, _ entity: EntityDescription, _ origin: EntityDescription,
    where condition: String, _ former: PropertyDescription
  ) {
    let source = RowSource(entity: entity, old: origin, columns: [])
    let name = "\(entity.name).\(property.name)"
    step.checks.append(
      RowCheck(
        code: .unsuitableValue, entity: entity.name, property: property.name,
        query: source.rows(where: condition)
      ) { count in
        "\(name) is \(property.typeDescription) instead of \(former.typeDescription), which can't hold the"
          + " values of \(count) models. Change them in the `willMigrate` of a custom stage."
      })
  }

  private mutating func refuseAbsence(
    of property: PropertyDescription, _ entity: EntityDescription, _ origin: EntityDescription,
    where condition: String
  ) {
    let source = RowSource(entity: entity, old: origin, columns: [])
    step.checks.append(
      RowCheck(
        code: .missingValue, entity: entity.name, property: property.name,
        query: source.rows(where: condition),
        explanation: Self.missingValue("\(entity.name).\(property.name)")))
  }

  private mutating func refuse(
    _ former: PropertyDescription, becoming property: PropertyDescription,
    _ entity: EntityDescription, _ origin: EntityDescription
  ) {
    let source = RowSource(entity: entity, old: origin, columns: [])
    let present = former.columns.map { "\(alias($0)) IS NOT NULL" }.joined(separator: " OR ")
    let name = "\(entity.name).\(property.name)"
    let isTransformed =
      former.storage.transformerName != nil || property.storage.transformerName != nil
    step.checks.append(
      RowCheck(
        code: .notInferable, entity: entity.name, property: property.name,
        query: source.rows(where: present)
      ) { count in
        "how \(former.typeDescription) becomes \(property.typeDescription)"
          + (isTransformed ? " with another transformer" : "")
          + " can't be inferred: \(name) has values in \(count) models. Add a property of another name,"
          + " and fill it in a custom stage."
      })
  }

  private mutating func refuseAttribute(
    _ former: PropertyDescription?, becoming property: PropertyDescription,
    _ entity: EntityDescription, _ origin: EntityDescription
  ) {
    guard let former, former.relationship == nil, !former.columns.isEmpty else { return }
    refuse(former, becoming: property, entity, origin)
  }

  private mutating func refuseRelationship(
    _ former: PropertyDescription?, becoming property: PropertyDescription,
    _ entity: EntityDescription
  ) {
    guard let former, former.relationship != nil, let origin = old[entity.name],
      let link = LinkSource(former, of: origin, in: old, dialect)
    else { return }
    let name = "\(entity.name).\(property.name)"
    step.checks.append(
      RowCheck(
        code: .notInferable, entity: entity.name, property: property.name,
        query: "SELECT DISTINCT o FROM \(dialect.subquery(link.living))"
      ) { count in
        "\(name) was a relationship, which \(count) models have, and is an attribute. Add a property of"
          + " another name, and fill it in a custom stage."
      })
  }
}
