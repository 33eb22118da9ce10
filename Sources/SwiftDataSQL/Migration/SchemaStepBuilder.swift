import SwiftDataCore

extension SchemaStep {
  /// - Parameters:
  ///   - old: The schema of the file.
  ///   - new: The schema that the file will have.
  ///   - plans: The entities of `new`.
  ///   - removing: The entities to remove. Other entities that `new` doesn't name stay if they don't share their table
  ///     with an entity that is in `new` or removed.
  ///   - dialect: The database's SQL.
  ///   - defaults: The columns of a property's default value in stored form; nil when it has none.
  package init(
    from old: SchemaDescription, to new: SchemaDescription, plans: [EntityPlan],
    removing: Set<String>, dialect: any SQLDialect,
    defaults: (EntityPlan, Int) throws -> [SQLValue]?
  ) throws {
    var making = SchemaStepBuilder(
      old: old, new: new, plans: plans, removing: removing, dialect: dialect)
    self = try making.run(defaults)
  }

  init(result: SchemaDescription) { self.result = result }
}

/// Computes a step: the new rows as expressions on the old tables.
struct SchemaStepBuilder {
  let old: SchemaDescription
  let new: SchemaDescription
  let plans: [String: EntityPlan]
  let plansByType: [ObjectIdentifier: EntityPlan]
  let removing: Set<String>
  let dialect: any SQLDialect
  var step: SchemaStep
  private var matchings: [String: PropertyMatching] = [:]
  /// The offset added to the IDs of rows that move from one table to another, by both names.
  private var offsets: [[String]: String] = [:]
  /// The links of the old schema that are still in use.
  var usedLinks: Set<String> = []

  init(
    old: SchemaDescription, new: SchemaDescription, plans: [EntityPlan], removing: Set<String>,
    dialect: any SQLDialect
  ) {
    // Entities that an earlier version of the library described don't differ from these for that, unless their rows may
    // lack values.
    let old = old.completed(by: new, areOwn: false)
    self.old = old
    self.new = new
    self.plans = Dictionary(plans.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    plansByType = Dictionary(
      plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    self.removing = removing
    self.dialect = dialect
    step = SchemaStep(result: new)
    for (name, entity) in new.entities {
      if let old = old[name] { matchings[name] = PropertyMatching(from: old, to: entity) }
    }
  }

  mutating func run(_ defaults: (EntityPlan, Int) throws -> [SQLValue]?) throws -> SchemaStep {
    step.changes = old.changes(to: new).filter { change in
      change.kind != .removedEntity || !isKept(change.entity)
    }
    guard !step.changes.isEmpty else {
      step.result = keepingMissing()
      return step
    }
    number()
    for table in new.tables { try makeTable(table, defaults) }
    for name in new.entities.keys.sorted() { makePairs(of: name) }
    checkUnusedLinks()
    checkRequiredEnds()
    removeTables()
    recordLosses()
    recordObjects()
    step.expiresHistory = expiresHistory
    step.result = keepingMissing()
    return step
  }

  func matching(_ entity: String) -> PropertyMatching? { matchings[entity] }

  // MARK: - Entities missing from the new schema

  /// Whether an entity that the new schema doesn't name stays in the file: no entity that shares its table is in the
  /// new schema or removed.
  func isKept(_ entity: String) -> Bool {
    guard let table = old[entity]?.table else { return false }
    return old.entities(in: table).allSatisfy { new[$0.name] == nil && !removing.contains($0.name) }
  }

  private func keepingMissing() -> SchemaDescription {
    var result = new
    for (name, entity) in old.entities where new[name] == nil && isKept(name) {
      result.entities[name] = entity
    }
    return result
  }

  private mutating func removeTables() {
    let kept = Set(new.tables)
    for table in old.tables {
      checkUnknownRows(in: table)
      let missing = old.entities(in: table).filter { new[$0.name] == nil }
      if let first = missing.first, isKept(first.name) { continue }
      for entity in missing { removeRows(of: entity) }
      if !kept.contains(table) { step.dropped.append(table) }
    }
    let wanted = Set(
      new.entities.values.flatMap(\.objects).filter { $0.kind == .table }.map(\.name))
    for entity in old.entities.values.sorted(by: { $0.name < $1.name }) where !isKept(entity.name) {
      for property in entity.ownProperties {
        guard let pairs = property.relationship?.pairs, property.relationship?.isPairsOwner == true,
          !wanted.contains(pairs)
        else { continue }
        step.dropped.append(pairs)
      }
    }
    for entity in old.entities.values where new[entity.name] == nil && isKept(entity.name) {
      for property in entity.properties {
        guard let destination = property.relationship?.destination,
          let table = old[destination]?.table, step.dropped.contains(table)
        else { continue }
        step.checks.append(
          RowCheck(
            code: .notInferable, entity: entity.name, property: property.name,
            query: "SELECT \(SQLIdentifier.rowID) FROM \(SQLIdentifier.quoted(entity.table))"
          ) { count in
            "\(destination) moves to another table, and \(count) models of \(entity.name), which isn't"
              + " part of the schema, refer to it. List \(entity.name) in the schema too."
          })
      }
    }
  }

  /// Adds a check for rows of unknown classes, which would be lost.
  private mutating func checkUnknownRows(in table: String) {
    let entities = old.entities(in: table)
    guard let first = entities.first, first.sharesTable, !isKept(first.name) else { return }
    let names = entities.map { SQLIdentifier.literal($0.name) }.joined(separator: ", ")
    step.checks.append(
      RowCheck(
        code: .lostRows, entity: table, property: "",
        query:
          "SELECT \(SQLIdentifier.rowID) FROM \(SQLIdentifier.quoted(table))"
          + " WHERE \"_entity\" NOT IN (\(names))"
      ) { count in
        "\(count) rows of the table \(table) belong to a class that the file's schema doesn't have; they"
          + " were written by another program. Correct or delete them."
      })
  }

  private mutating func removeRows(of entity: EntityDescription) {
    let table = SQLIdentifier.quoted(entity.table)
    let condition =
      entity.sharesTable ? " WHERE \"_entity\" = \(SQLIdentifier.literal(entity.name))" : ""
    if removing.contains(entity.name) {
      step.losses.append(
        SchemaStep.Loss(
          description: "models of \(entity.name)",
          count: "SELECT count(*) FROM \(table)\(condition)"
        ))
    } else {
      step.checks.append(
        RowCheck(
          code: .notInferable, entity: entity.name, property: "",
          query: "SELECT \(SQLIdentifier.rowID) FROM \(table)\(condition)"
        ) { count in
          "the schema doesn't have \(entity.name) any more, of which there are \(count) models in the"
            + " table \(entity.table). List the class, or remove them by a migration plan."
        })
    }
  }

  // MARK: - Row IDs

  /// Renumbers rows of several tables that are merged into one: the rows of all but the first table get new IDs behind
  /// the IDs of the tables before.
  private mutating func number() {
    for table in new.tables {
      let origins = Set(new.entities(in: table).compactMap { old[$0.name]?.table })
      let order = origins.sorted { ($0 != table ? 1 : 0, $0) < ($1 != table ? 1 : 0, $1) }
      var sum: [String] = []
      for origin in order {
        if !sum.isEmpty { offsets[[origin, table]] = "(\(sum.joined(separator: " + ")))" }
        sum.append(dialect.lastRowID(in: origin))
      }
    }
  }

  /// The new ID of a row, from an expression for its old ID.
  func rowID(_ expression: String, of entity: String) -> String {
    guard let origin = old[entity]?.table, let table = new[entity]?.table,
      let offset = offsets[[origin, table]]
    else { return expression }
    return "\(expression) + \(offset)"
  }

  func isRenumbered(_ entity: String) -> Bool { rowID("", of: entity) != "" }

  // MARK: - Indices, triggers and virtual tables

  private mutating func recordObjects() {
    let wanted = Set(
      new.entities.values.flatMap(\.objects).map { "\($0.kind) \($0.name) \($0.statement)" })
    for entity in old.entities.values where !isKept(entity.name) {
      for object in entity.objects {
        step.formerObjects.insert(object.name)
        if object.kind == .reference { step.formerReferences.append(object) }
        let isWanted = wanted.contains("\(object.kind) \(object.name) \(object.statement)")
        if object.kind == .index, !isWanted { step.obsoleteIndices.append(object.name) }
      }
      let still = Set(new[entity.name]?.searchTables ?? [])
      let isTouched = step.touchedTables.contains(entity.table)
      for table in entity.searchTables where isTouched || !still.contains(table) {
        // Other search tables keep their triggers: the code of a migration stage may change rows.
        step.obsoleteSearchTables.append(table)
        for ending in ["insert", "delete", "update"] {
          step.formerObjects.insert("\(table)_\(ending)")
        }
      }
      recordExternalObjects(of: entity, isTouched: isTouched)
    }
    step.obsoleteSearchTables = Set(step.obsoleteSearchTables).sorted()
    step.obsoleteIndices = Set(step.obsoleteIndices).sorted()
  }

  /// Records the triggers and indices of columns whose large values are stored in files; opening the store creates them
  /// again.
  private mutating func recordExternalObjects(of entity: EntityDescription, isTouched: Bool) {
    for property in entity.properties where property.storage.isExternal {
      let names = property.columns.map(\.name)
      let isExternal =
        new[entity.name]?.properties.contains {
          $0.storage.isExternal && $0.columns.map(\.name) == names
        } ?? false
      guard isTouched || !isExternal else { continue }
      for column in names {
        let objects = ["external", "external_delete", "external_update"].map {
          ObjectNames.name(entity.table, [column], $0)
        }
        if !isExternal { step.obsoleteIndices.append(objects[0]) }
        step.formerObjects.formUnion(objects)
      }
    }
  }

  /// Tombstones hold columns in their old form, and changes name rows by their IDs and properties by their names.
  private var expiresHistory: Bool {
    new.entities.values.contains { entity in
      guard let old = old[entity.name], let matching = matchings[entity.name] else { return false }
      if isRenumbered(entity.name) { return true }
      return entity.properties.contains { property in
        guard let source = matching[property] else { return false }
        if source.name != property.name, entity.property(named: source.name) != nil { return true }
        return changesTombstones(source, property, isMoved: old.table != entity.table)
      }
    }
  }

  /// Whether tombstones may hold values of a property in a form that its present one can't be read from, or that must
  /// not stay in the open. That the old property's values were kept isn't always recorded: the option alone migrates
  /// nothing.
  private func changesTombstones(
    _ old: PropertyDescription, _ new: PropertyDescription, isMoved: Bool
  ) -> Bool {
    if new.storage.isEncrypted, !old.storage.isEncrypted { return true }
    guard new.storage.isPreserved else { return false }
    var storage = old.storage
    storage.isPreserved = true
    return old.columns.map(\.kind) != new.columns.map(\.kind)
      || old.columns.map(\.type) != new.columns.map(\.type) || storage != new.storage
      || (new.storage.isEncrypted && (isMoved || old.originalName != new.originalName))
  }
}
