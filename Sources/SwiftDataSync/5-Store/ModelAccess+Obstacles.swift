import SwiftData
import SwiftDataSQL

/// The planned values of objects: the last values of each object, in the order of first occurrence.
struct PlannedValues {
  let order: [SyncObjectID]
  private let values: [SyncObjectID: SyncValues?]

  init(_ given: [(object: SyncObjectID, values: SyncValues?)]) {
    var values: [SyncObjectID: SyncValues?] = [:]
    var order: [SyncObjectID] = []
    for (object, taken) in given where values.updateValue(taken, forKey: object) == nil {
      order.append(object)
    }
    self.order = order
    self.values = values
  }

  /// - Returns: nil for an object that doesn't change, `.some(nil)` for an object that is deleted.
  subscript(object: SyncObjectID) -> SyncValues?? { values[object] }

  func isGone(_ object: SyncObjectID) -> Bool {
    if case .some(.none) = values[object] { true } else { false }
  }
}

extension ModelAccess {
  /// See ``SyncStorage/obstacles(to:)``.
  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] {
    let planned = PlannedValues(rowValues(values))
    var obstacles = try store.readSideTables { try duplicates(in: planned, $0).found }
    for object in planned.order where planned.isGone(object) && !denials.isEmpty {
      let going = Set(try dependents(of: object)).union([object])
      let denier = try store.readSideTables { tables in
        try going.sorted().lazy.compactMap { try self.denier(of: $0, going, planned, tables) }.first
      }
      if let denier { obstacles[object] = .denied(by: denier) }
    }
    return obstacles
  }

  /// Returns the values that the rows will hold. The rows of an annotated class are never deleted; instead of a
  /// deletion, the object gets the default values.
  func rowValues(
    _ values: [(object: SyncObjectID, values: SyncValues?)]
  ) -> [(object: SyncObjectID, values: SyncValues?)] {
    values.map { ($0.object, $0.values ?? forms[$0.object.entity]?.annotations) }
  }

  /// Returns objects that have a required reference to an object that doesn't exist.
  func missing(
    for values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] {
    let planned = PlannedValues(values)
    var missing: [SyncObjectID: SyncObstacle] = [:]
    try store.readSideTables { tables in
      for object in planned.order {
        guard case .some(.some(let values)) = planned[object], let form = forms[object.entity]
        else {
          continue
        }
        for (index, destination) in form.relationships
        where !form.plan.properties[index].isOptional {
          guard let key = values[form.plan.properties[index].name].flatMap(SyncSchema.key) else {
            continue
          }
          let isThere = try families.members(of: destination).contains { entity in
            let parent = SyncObjectID(entity, key)
            return try planned[parent].map { $0 != nil } ?? (row(of: parent, tables) != nil)
          }
          if !isThere { missing[object] = .missing(SyncObjectID(destination, key)) }
        }
      }
    }
    return missing
  }

  // MARK: Delete rules

  /// Returns an object that prevents another object from being deleted.
  ///
  /// - Parameter going: The objects that delete rules delete together, including the object itself.
  private func denier(
    of object: SyncObjectID, _ going: Set<SyncObjectID>, _ planned: PlannedValues,
    _ tables: SideTables
  ) throws -> SyncObjectID? {
    guard let form = forms[object.entity], let row = try row(of: object, tables) else { return nil }
    for denial in denials where denial.guards(form.plan) {
      for other in try denial.rows(against: row, tables) {
        guard let found = try self.object(inRow: other, of: denial.other.name, tables) else {
          return SyncObjectID(denial.other.name, "")
        }
        if going.contains(found) || planned.isGone(found) { continue }
        if let name = denial.reference, case .some(.some(let values)) = planned[found],
          forms[found.entity]?.holds(name) ?? false, !Self.refers(values[name], to: object.key)
        {
          continue
        }
        return found
      }
      // Objects that will refer to it after the same transaction.
      guard let name = denial.reference,
        families.members(of: denial.destination).contains(object.entity)
      else { continue }
      let members = Set(families.members(of: denial.other.name))
      for found in planned.order where members.contains(found.entity) && !going.contains(found) {
        if case .some(.some(let values)) = planned[found],
          Self.refers(values[name], to: object.key)
        {
          return found
        }
      }
    }
    return nil
  }

  private static func refers(_ value: SyncValue?, to key: String) -> Bool {
    if case .list(let elements) = value { return elements.contains(.text(key)) }
    return value.flatMap(SyncSchema.key) == key
  }
}

extension ModelForm {
  /// Whether a relationship is among the synchronized values.
  fileprivate func holds(_ property: String) -> Bool {
    relationships.contains { plan.properties[$0.property].name == property }
      || lists.contains { $0.name == property }
  }
}

/// A relationship that prevents the objects at one of its ends from being deleted: through the rule `deny`, or because
/// the other end isn't optional.
struct ModelDenial {
  /// The class whose objects are protected, with its subclasses.
  private let guarded: EntityPlan
  /// The class whose objects protect them.
  let other: EntityPlan
  /// The entity that the other class's property refers to.
  var destination: String { guarded.name }
  /// The property of the other class that refers to the protected object; nil when the reference is in the opposite
  /// direction.
  let reference: String?
  /// The statement that finds the rows that protect a row.
  private let sql: String

  func guards(_ plan: EntityPlan) -> Bool {
    plan.table == guarded.table
      && (plan.family?.descendants(of: guarded).contains { $0 === plan } ?? true)
  }

  func rows(against row: Int64, _ tables: SideTables) throws -> [Int64] {
    var rows: [Int64] = []
    try tables.forEach(sql, [.integer(row)]) { if let row = $0[0].integer { rows.append(row) } }
    return rows
  }

  /// Returns all such relationships of a schema, of synchronized classes and others.
  static func all(_ plans: [EntityPlan]) -> [ModelDenial] {
    let named = Dictionary(plans.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    return plans.flatMap { plan in
      plan.ownRelationships.flatMap { index -> [ModelDenial] in
        guard let relationship = plan.properties[index].relationship,
          let destination = named[relationship.destinationEntity]
        else { return [] }
        return denials(of: plan, index, relationship, destination)
      }
    }
  }

  private static func denials(
    of plan: EntityPlan, _ index: Int, _ relationship: RelationshipPlan, _ destination: EntityPlan
  ) -> [ModelDenial] {
    func quoted(_ name: String) -> String { SQLIdentifier.quoted(name) }
    let property = plan.properties[index]
    let isDenied = relationship.deleteRule == .deny
    switch relationship.storage {
    case .column:
      let column = quoted(plan.columns[property.columns.lowerBound].name)
      var found: [ModelDenial] = []
      let back = relationship.inverse.flatMap {
        destination.properties[$0].relationship?.deleteRule
      }
      let rule = back ?? .nullify
      if rule == .deny || rule == .nullify && !relationship.isOptional {
        found.append(
          ModelDenial(
            guarded: destination, other: plan, reference: property.name,
            sql: "SELECT \"_id\" FROM \(quoted(plan.table)) WHERE \(column) = ?"))
      }
      if isDenied {
        found.append(
          ModelDenial(
            guarded: plan, other: destination, reference: nil,
            sql: "SELECT \(column) FROM \(quoted(plan.table)) WHERE \"_id\" = ?"))
      }
      return found
    case .joinTable(let join):
      guard isDenied else { return [] }
      return [
        ModelDenial(
          guarded: plan, other: destination, reference: relationship.inverseName,
          sql: "SELECT \(quoted(join.destinationColumn)) FROM \(quoted(join.name))"
            + " WHERE \(quoted(join.ownerColumn)) = ?")
      ]
    // The column of the other end covers this case.
    case .inverseColumn: return []
    }
  }
}
