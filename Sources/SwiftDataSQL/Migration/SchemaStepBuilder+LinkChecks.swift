import SwiftDataCore

/// Links that a new form of their relationship can't represent.
extension SchemaStepBuilder {
  /// Adds checks for links that the relationship can't represent.
  mutating func check(
    _ link: LinkSource, _ property: PropertyDescription, _ entity: EntityDescription
  ) {
    guard let relationship = property.relationship, !isInherited(link, property, entity) else {
      return
    }
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
    if !new.isSame(relationship.destination, orAncestorOf: link.destination) {
      refuseDestination(of: property, link, entity, isEnforced ? link.living : link.query)
    } else {
      checkLeaving(link, property, entity)
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

  /// Adds checks for links of models whose class leaves its superclass, and with it one end of the relationship.
  private mutating func checkLeaving(
    _ link: LinkSource, _ property: PropertyDescription, _ entity: EntityDescription
  ) {
    guard let relationship = property.relationship else { return }
    let name = "\(entity.name).\(property.name)"
    func refuse(
      _ end: String, _ leaving: [EntityDescription],
      _ explanation: @escaping @Sendable (Int) -> String
    ) {
      guard let table = leaving.first?.table else { return }
      let names = leaving.map { SQLIdentifier.literal($0.name) }.joined(separator: ", ")
      step.checks.append(
        RowCheck(
          code: .notInferable, entity: entity.name, property: property.name,
          query: "SELECT DISTINCT l.o FROM (\(link.living)) AS l WHERE l.\(end) IN"
            + " (SELECT \(SQLIdentifier.rowID) FROM \(SQLIdentifier.quoted(table))"
            + " WHERE \(SQLIdentifier.quoted(EntityFamily.discriminator)) IN (\(names)))",
          explanation: explanation))
    }
    let destinations = leaving(link.destination, for: relationship.destination)
    let list = destinations.map(\.name).joined(separator: ", ")
    refuse("d", destinations) { count in
      "\(name) leads to models of \(list) in \(count) models, and these are no"
        + " \(relationship.destination) any more. Choose others in the `willMigrate` of a custom stage."
    }
    guard relationship.place == .pairs else { return }
    let owners = leaving(entity.name, for: entity.name)
    let ownerList = owners.map(\.name).joined(separator: ", ")
    refuse("o", owners) { count in
      "\(ownerList) doesn't inherit \(name) any more, which has links in \(count) models. Remove them in the"
        + " `willMigrate` of a custom stage."
    }
  }

  /// The old subclasses of one entity that aren't those of another one in the new schema.
  private func leaving(_ former: String, for present: String) -> [EntityDescription] {
    old.entities.values.filter { entity in
      entity.sharesTable && new[entity.name] != nil
        && old.isSame(former, orAncestorOf: entity.name)
        && !new.isSame(present, orAncestorOf: entity.name)
    }.sorted { $0.name < $1.name }
  }

  /// Whether an entity has the links from its superclass, whose checks find all that violate them.
  private func isInherited(
    _ link: LinkSource, _ property: PropertyDescription, _ entity: EntityDescription
  ) -> Bool {
    guard let name = entity.superentity, old[name] != nil, let superentity = new[name],
      let inherited = superentity.property(named: property.name)
    else { return false }
    return self.link(inherited, of: superentity)?.query == link.query
  }

  /// Adds checks for relationships that can't be nil and whose key is in the other end's table.
  mutating func checkRequiredEnds() {
    for name in new.entities.keys.sorted() {
      guard let entity = new[name], let origin = old[name] else { continue }
      for property in entity.properties where !property.isOptional {
        guard let relationship = property.relationship, !relationship.isToMany,
          relationship.place == .otherEnd
        else { continue }
        let former = matching(name)?[property]
        if former?.isOptional == false, former?.relationship?.isToMany == false { continue }
        let source = RowSource(entity: entity, old: origin, columns: [])
        let missing =
          link(property, of: entity).map {
            "s.\(SQLIdentifier.rowID) NOT IN (SELECT l.o FROM (\($0.living)) AS l)"
          } ?? "s.\(SQLIdentifier.rowID) IS NOT NULL"
        step.checks.append(
          RowCheck(
            code: .missingValue, entity: name, property: property.name,
            query: source.rows(where: missing),
            explanation: former == nil
              ? Self.newValue("\(name).\(property.name)")
              : Self.missingValue("\(name).\(property.name)")))
      }
    }
  }

  /// Adds checks for former links that no relationship takes over, although the property that had them is still one:
  /// the other end, which is stored, has links of its own or is another class.
  mutating func checkUnusedLinks() {
    var known: Set<String> = []
    for name in new.entities.keys.sorted() {
      guard let entity = new[name], let origin = old[name], let matching = matching(name) else {
        continue
      }
      for property in entity.properties {
        guard let relationship = property.relationship, let former = matching[property],
          let link = LinkSource(former, of: origin, in: old, dialect),
          !usedLinks.contains(link.key), !isWithUnnamed(former), known.insert(link.key).inserted
        else { continue }
        guard new.isSame(relationship.destination, orAncestorOf: link.destination),
          let other = new[relationship.destination],
          let back = relationship.inverse.flatMap({ other.property(named: $0) }),
          let stored = self.link(back, of: other)
        else {
          refuseDestination(of: property, link, entity, link.living)
          continue
        }
        let ends = "\(name).\(property.name) and \(other.name).\(back.name)"
        step.checks.append(
          RowCheck(
            code: .notInferable, entity: name, property: property.name,
            query: "SELECT DISTINCT l.o FROM (\(link.living)) AS l WHERE NOT EXISTS"
              + " (SELECT 1 FROM (\(stored.living)) AS r WHERE r.o = l.d AND r.d = l.o)"
          ) { count in
            "\(ends) become inverses, but had links of their own, and \(count) models of \(name) have"
              + " some that \(other.name).\(back.name) lacks. Set both ends in the `willMigrate` of a"
              + " custom stage."
          })
      }
    }
  }

  /// Whether a table of an entity that the new schema doesn't name has the links: they stay, or go with its models.
  private func isWithUnnamed(_ former: PropertyDescription) -> Bool {
    guard let relationship = former.relationship, new[relationship.destination] == nil else {
      return false
    }
    return relationship.place == .otherEnd
      || relationship.place == .pairs && !relationship.isPairsOwner
  }

  private mutating func refuseDestination(
    of property: PropertyDescription, _ link: LinkSource, _ entity: EntityDescription,
    _ links: String
  ) {
    guard let destination = property.relationship?.destination else { return }
    let name = "\(entity.name).\(property.name)"
    step.checks.append(
      RowCheck(
        code: .notInferable, entity: entity.name, property: property.name,
        query: "SELECT DISTINCT o FROM \(dialect.subquery(links))"
      ) { count in
        "\(name) leads to \(destination) instead of \(link.destination), and \(count) models"
          + " have it. Add a relationship of another name, and fill it in a custom stage."
      })
  }
}
