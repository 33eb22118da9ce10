import SwiftDataCore

/// Relationships: links keep connecting the same rows, however they are stored before and after.
extension SchemaStepBuilder {
  /// The old links that a relationship takes over: the links of the property it comes from, or else those of the
  /// property that its inverse comes from.
  func link(_ property: PropertyDescription, of entity: EntityDescription) -> LinkSource? {
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
      old.isSame(destination, orAncestorOf: entity.name)
    else { return nil }
    return LinkSource(former, of: origin, in: old, dialect)?.reversed(
      destination: relationship.destination)
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
        guard let link = link(property, of: entity) else { continue }
        usedLinks.insert(link.key)
        // The other end may lead to one now, which changes nothing in the table with the key.
        if property.relationship?.place == .column { check(link, property, entity) }
      }
    }
  }
}
