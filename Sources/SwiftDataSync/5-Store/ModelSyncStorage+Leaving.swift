import SwiftDataCore

/// Handles objects that are to leave an object they require, but whose new destination hasn't arrived yet.
extension ModelSyncStorage {
  /// Returns those of the objects whose required references keep their former destinations, with the values that they
  /// are to have.
  func leaving(
    _ objects: some Collection<SyncObjectID>
  ) throws -> [(object: SyncObjectID, values: SyncValues?)] {
    guard !objects.isEmpty else { return [] }
    var owners: Set<SyncObjectID> = []
    try access.store.readRows { transaction in
      try transaction.forEachRow(
        of: objects, in: SyncTables.waiting, [],
        where: .equal("place", .integer(Int64(ModelWriting.Waiting.former)))
      ) { object, _ in owners.insert(object) }
    }
    guard !owners.isEmpty else { return [] }
    return try load(owners.sorted()).compactMap { object, entry in
      entry.values.map { (object, $0) }
    }
  }

  /// Returns values as they will be stored: a required reference of an object keeps its former destination, whose
  /// deletion it may prevent, and which it may withhold from another object, until the new one exists.
  func keepingFormer(
    _ values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [(object: SyncObjectID, values: SyncValues?)] {
    let matters = values.contains { object, taken in
      taken == nil
        ? !access.denials.isEmpty : access.forms[object.entity]?.exclusive.isEmpty == false
    }
    guard matters else { return values }
    let missing = try access.missing(for: values)
    guard !missing.isEmpty else { return values }
    let planned = PlannedValues(values)
    let destinations = missing.keys.flatMap { object in
      planned[object].flatMap(\.self).map { requiredReferences(of: object, $0) } ?? []
    }
    let candidates = Set(destinations.lazy.map(\.destination).flatMap(access.candidates))
    let rows = try access.store.readRows {
      try access.rows(of: candidates.union(missing.keys), $0)
    }
    let stored = try access.values(of: missing.keys.filter { rows[$0] != nil })
    return values.map { object, taken in
      guard let taken, let former = stored[object] else { return (object, taken) }
      var kept = taken
      for (name, destination) in requiredReferences(of: object, taken) {
        let isThere = access.candidates(for: destination).contains {
          rows[$0] != nil || planned[$0].flatMap(\.self) != nil && missing[$0] == nil
        }
        if !isThere, let value = former[name], value != .null { kept[name] = value }
      }
      return (object, kept)
    }
  }

  private func requiredReferences(
    of object: SyncObjectID, _ values: SyncValues
  ) -> [(name: String, destination: SyncObjectID)] {
    guard let form = access.forms[object.entity] else { return [] }
    return form.relationships.compactMap { index, entity in
      let property = form.plan.properties[index]
      guard !property.isOptional, let key = values[property.name].flatMap(SyncSchema.key) else {
        return nil
      }
      return (property.name, SyncObjectID(entity, key))
    }
  }

  /// Returns the deletions that would delete objects which are to leave the deleted ones, but can't yet: their new
  /// destinations are neither here nor among the writes.
  func earlyDeletions(
    in values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] {
    let planned = PlannedValues(access.rowValues(values))
    let gone = planned.order.filter { planned.isGone($0) }
    guard !gone.isEmpty else { return [:] }
    let dependents = try access.dependents(of: gone)
    let all = Set(dependents.values.joined())
    guard !all.isEmpty else { return [:] }
    let missing = try access.missing(for: values)
    let leaving = try leaving(all.filter { planned[$0] == nil })
    let released = try released(leaving.map(\.object), by: planned, without: missing)
    let staying = all.filter { missing[$0] != nil }
      .union(leaving.map(\.object).filter { !released.contains($0) })
    guard !staying.isEmpty else { return [:] }
    let later = try access.dependents(of: gone, PlannedValues(values + leaving))
    var obstacles: [SyncObjectID: SyncObstacle] = [:]
    for object in gone {
      let early = (dependents[object] ?? []).subtracting(later[object] ?? [])
      if let first = early.intersection(staying).min() { obstacles[object] = .denied(by: first) }
    }
    return obstacles
  }

  /// Returns those of the objects whose destinations all are among the planned values, and can be created.
  private func released(
    _ objects: [SyncObjectID], by planned: PlannedValues,
    without missing: [SyncObjectID: SyncObstacle]
  ) throws -> Set<SyncObjectID> {
    var (found, waiting): (Set<SyncObjectID>, Set<SyncObjectID>) = ([], [])
    try access.store.readRows { transaction in
      try transaction.forEachRow(
        of: objects, in: SyncTables.waiting, ["destinationEntity", "destinationKey", "place"]
      ) { object, columns in
        guard columns[2].integer != Int64(ModelWriting.Waiting.former) else { return }
        let isPlanned = Self.object(columns).contains { destination in
          access.candidates(for: destination).contains {
            planned[$0] != nil && !planned.isGone($0) && missing[$0] == nil
          }
        }
        if isPlanned { found.insert(object) } else { waiting.insert(object) }
      }
    }
    return found.subtracting(waiting)
  }
}
