import SwiftDataCore

/// Relationships: links keep connecting the same rows, however they are stored before and after.
extension SchemaStepBuilder {
  /// The old links that a relationship takes over: the links of the property it comes from, or else those of the
  /// property that its inverse comes from.
  private func link(_ property: PropertyDescription, of entity: EntityDescription) -> LinkSource? {
    guard let relationship = property.relationship else { return nil }
    if let origin = old[entity.name], let former = matching(entity.name)?[property],
      let link = LinkSource(former, of: origin, in: old, dialect)
    {
      return link
    }
    guard let inverse = relationship.inverse, let other = new[relationship.destination],
      let origin = old[other.name], let back = other.property(named: inverse),
      let former = matching(other.name)?[back],
      let destination = former.relationship?.destination,
      isSame(destination, orAncestorOf: entity.name, in: old)
    else { return nil }
    return LinkSource(former, of: origin, in: old, dialect)?.reversed(
      destination: relationship.destination)
  }

  private func isSame(
    _ entity: String, orAncestorOf other: String, in schema: SchemaDescription
  ) -> Bool {
    var current: String? = other
    // A description that was edited outside the framework may contain a cycle.
    var known: Set<String> = []
    while let name = current, known.insert(name).inserted {
      if name == entity { return true }
      current = schema[name]?.superentity
    }
    return false
  }

  /// The key column of a relationship.
  mutating func reference(
    _ column: ColumnDescription, _ property: PropertyDescription, _ entity: EntityDescription,
    _ former: PropertyDescription?
  ) -> ColumnSource {
    guard let origin = old[entity.name], let link = link(property, of: entity) else {
      if let former, former.relationship == nil, !former.columns.isEmpty,
        let origin = old[entity.name]
      {
        refuse(attribute: former, becoming: property, entity, origin)
      }
      return ColumnSource(column: column, expression: "NULL", asIs: nil, constant: .null)
    }
    check(link, property, entity)
    usedLinks.insert(link.key)
    var expression: String
    var asIs: ColumnDescription?
    if let name = link.column {
      expression = "s." + SQLIdentifier.quoted(name)
      asIs = origin.columns.first { $0.name == name }
    } else {
      expression =
        "(SELECT d FROM \(dialect.subquery(link.query)) WHERE o = s.\(SQLIdentifier.rowID) LIMIT 1)"
    }
    if link.mayDangle, column.isForeignKey,
      let destination = old[link.destination]
    {
      expression =
        "(SELECT x.\(SQLIdentifier.rowID) FROM \(SQLIdentifier.quoted(destination.table)) AS x"
        + " WHERE x.\(SQLIdentifier.rowID) = \(expression))"
      asIs = nil
    }
    let moved = rowID(expression, of: link.destination)
    return ColumnSource(
      column: column, expression: moved, asIs: moved == expression ? asIs : nil, constant: nil)
  }

  /// The column with the position in the other end's list, beside the key.
  func order(
    _ column: ColumnDescription, _ property: PropertyDescription, _ entity: EntityDescription
  ) -> ColumnSource {
    guard let origin = old[entity.name], let link = link(property, of: entity) else {
      return ColumnSource(column: column, expression: "NULL", asIs: nil, constant: .null)
    }
    guard let key = link.column else {
      let expression =
        "(SELECT dp FROM \(dialect.subquery(link.query)) WHERE o = s.\(SQLIdentifier.rowID) LIMIT 1)"
      return ColumnSource(column: column, expression: expression, asIs: nil, constant: nil)
    }
    let former = origin.properties.first { $0.columns.first?.name == key }?.columns.dropFirst()
      .first
    guard let former else {
      return ColumnSource(column: column, expression: "NULL", asIs: nil, constant: .null)
    }
    return ColumnSource(
      column: column, expression: "s." + SQLIdentifier.quoted(former.name), asIs: former,
      constant: nil)
  }

  private mutating func refuse(
    attribute former: PropertyDescription, becoming property: PropertyDescription,
    _ entity: EntityDescription, _ origin: EntityDescription
  ) {
    let source = RowSource(entity: entity, old: origin, columns: [])
    let present = former.columns.map { "s.\(SQLIdentifier.quoted($0.name)) IS NOT NULL" }
    let name = "\(entity.name).\(property.name)"
    step.checks.append(
      RowCheck(
        code: .notInferable, entity: entity.name, property: property.name,
        query: source.rows(where: present.joined(separator: " OR "))
      ) { count in
        "\(name) was an attribute, which \(count) models have, and is a relationship. Add a property of"
          + " another name, and fill it in a custom stage."
      })
  }

  /// Adds checks for links that the relationship can't represent.
  private mutating func check(
    _ link: LinkSource, _ property: PropertyDescription, _ entity: EntityDescription
  ) {
    guard let relationship = property.relationship else { return }
    func refuse(
      _ code: MigrationError.Code, _ entity: String, _ property: String, _ query: String,
      _ explanation: @escaping @Sendable (Int) -> String
    ) {
      step.checks.append(
        RowCheck(
          code: code, entity: entity, property: property, query: query, explanation: explanation))
    }
    let name = "\(entity.name).\(property.name)"
    // A key without a foreign key keeps the links of deleted rows too: they could lead to other rows of a new table.
    let isEnforced = property.columns.first?.isForeignKey ?? true
    if !isSame(relationship.destination, orAncestorOf: link.destination, in: new) {
      refuse(
        .notInferable, entity.name, property.name,
        "SELECT DISTINCT o FROM \(dialect.subquery(isEnforced ? link.living : link.query))"
      ) { count in
        "\(name) leads to \(relationship.destination) instead of \(link.destination), and \(count) models"
          + " have it. Add a relationship of another name, and fill it in a custom stage."
      }
    }
    if !relationship.isToMany, !link.isToOne {
      refuse(
        .tooManyLinks, entity.name, property.name,
        "SELECT o FROM \(dialect.subquery(link.living)) GROUP BY o HAVING count(*) > 1"
      ) { count in
        "\(name) leads to one \(relationship.destination), but to several in \(count) models. Choose one in"
          + " the `willMigrate` of a custom stage."
      }
    }
    let inverse = relationship.inverse.flatMap {
      new[relationship.destination]?.property(named: $0)
    }
    if let inverse, inverse.relationship?.isToMany == false, !link.isFromOne {
      let name = "\(relationship.destination).\(inverse.name)"
      refuse(
        .tooManyLinks, relationship.destination, inverse.name,
        "SELECT d FROM \(dialect.subquery(link.living)) GROUP BY d HAVING count(*) > 1"
      ) { count in
        "\(name) leads to one \(entity.name), but to several in \(count) models. Choose one in the"
          + " `willMigrate` of a custom stage."
      }
    }
  }

  // MARK: - Tables of pairs

  mutating func makePairs(of name: String) {
    guard let entity = new[name], let plan = plans[name] else { return }
    for property in entity.ownProperties {
      guard let relationship = property.relationship, relationship.place == .pairs,
        relationship.isPairsOwner, let table = relationship.pairs,
        let position = plan.propertiesByName[property.name],
        let creation = RelationshipTables.pairs(
          of: position, in: plan, plans: plansByType, named: SchemaStep.prefix + table,
          dialect: dialect)
      else { continue }
      let link = link(property, of: entity)
      if let link {
        check(link, property, entity)
        usedLinks.insert(link.key)
      }
      let formerStatement = statement(ofTable: table, in: old)
      let isUnmoved = !isRenumbered(name) && !isRenumbered(relationship.destination)
      if link?.pairs == table, link?.isPairsOwner == true, isUnmoved,
        formerStatement == statement(ofTable: table, in: new)
      {
        continue
      }
      guard link != nil || formerStatement != nil else { continue }
      let orders = [(relationship.orderColumn, "op"), (relationship.inverseOrderColumn, "dp")]
        .compactMap { name, value in name.map { (name: $0, value: value) } }
      let query = link.map { link in
        // A pair that both ends of an earlier link return is stored once.
        "SELECT \(rowID("o", of: name)), \(rowID("d", of: link.destination))"
          + orders.map { ", max(\($0.value))" }.joined()
          + " FROM \(dialect.subquery(link.living)) GROUP BY o, d"
      }
      step.pairs.append(
        SchemaStep.Pairs(
          name: table, creation: creation, columns: ["owner", "destination"] + orders.map(\.name),
          source: query))
    }
  }

  private func statement(ofTable name: String, in schema: SchemaDescription) -> String? {
    for entity in schema.entities.values {
      if let table = entity.objects.first(where: { $0.kind == .table && $0.name == name }) {
        return table.statement
      }
    }
    return nil
  }

  /// Records the links of unchanged tables as still in use.
  mutating func recordLinks(_ members: [EntityDescription]) {
    for entity in members {
      for property in entity.properties {
        if let link = link(property, of: entity) { usedLinks.insert(link.key) }
      }
    }
  }

  // MARK: - Losses

  /// Records the data that the new schema has no place for.
  mutating func recordLosses() {
    for name in new.entities.keys.sorted() {
      guard let origin = old[name], let entity = new[name], let matching = matching(name) else {
        continue
      }
      let removed = matching.removed.filter { property in
        origin.ownProperties.contains { $0.name == property.name }
      }
      for property in removed { recordLoss(of: property, in: origin) }
      for property in entity.properties {
        guard let former = matching[property], former.relationship == nil else { continue }
        let kept = Set(property.columns.map(\.members))
        let gone = former.columns.filter { !kept.contains($0.members) && $0.kind != .presence }
        recordLoss(gone, "\(name).\(former.name)", origin.table)
      }
    }
  }

  private mutating func recordLoss(of property: PropertyDescription, in entity: EntityDescription) {
    let name = "\(entity.name).\(property.name)"
    guard property.relationship != nil else {
      return recordLoss(property.columns, name, entity.table)
    }
    guard let link = LinkSource(property, of: entity, in: old, dialect),
      usedLinks.insert(link.key).inserted
    else { return }
    step.losses.append(
      SchemaStep.Loss(
        description: "links of \(name)",
        count: "SELECT count(*) FROM \(dialect.subquery(link.query))"))
  }

  private mutating func recordLoss(
    _ columns: [ColumnDescription], _ name: String, _ table: String
  ) {
    guard !columns.isEmpty else { return }
    let present = columns.map { "\(SQLIdentifier.quoted($0.name)) IS NOT NULL" }
    step.losses.append(
      SchemaStep.Loss(
        description: "values of \(name)",
        count: "SELECT count(*) FROM \(SQLIdentifier.quoted(table))"
          + " WHERE \(present.joined(separator: " OR "))"))
  }
}
