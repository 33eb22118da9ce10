import Foundation

extension SyncLedger {
  /// Assigns the keys that the server chose to objects, and redirects references from the old keys.
  func rename(
    _ renames: [SyncObjectID: SyncObjectID], _ draft: inout Draft, now: Date
  ) throws {
    guard !renames.isEmpty else { return }
    var moved = renames
    let present = try storage.load(Array(renames.values))
    var places = places(in: draft.writes.values)
    for (old, new) in renames.sorted(by: { $0.key < $1.key }) {
      if present[new]?.values != nil {
        moved[old] = nil
        try unite(old, with: new, present[new] ?? SyncEntry(), &draft, now)
        places = self.places(in: draft.writes.values)
        continue
      }
      draft.writes.renames.append((old, new))
      draft.pending.rename(old, to: new)
      if let record = draft.writes.records.removeValue(forKey: old) {
        draft.writes.records[new] = record
        // The property that holds the key gets the new key.
        if let base = record.base {
          draft.writes.records[new]?.base = try storage.complete(base, of: new, over: base) ?? base
        }
      }
      let written = places.removeValue(forKey: old) ?? []
      places[new, default: []] += written
      for index in written {
        draft.writes.values[index].object = new
        if let values = draft.writes.values[index].values {
          draft.writes.values[index].values =
            try storage.complete(values, of: new, over: values) ?? values
        }
      }
    }
    for (object, record) in draft.writes.records {
      guard let base = record.base else { continue }
      draft.writes.records[object]?.base = redirected(base, of: object.entity, renames)
    }
    for index in draft.inFlight.indices {
      let change = draft.inFlight[index].change
      guard let values = change.values else { continue }
      draft.inFlight[index].change.content = .put(
        redirected(values, of: change.object.entity, renames))
    }
    try redirectReferrers(renames, moved, &draft)
    if moved.count < renames.count { try mindObstacles(&draft, now: now) }
  }

  /// Returns the positions of the writes of each object.
  private func places(
    in values: [(object: SyncObjectID, values: SyncValues?)]
  ) -> [SyncObjectID: [Int]] {
    var places: [SyncObjectID: [Int]] = [:]
    for (place, write) in values.enumerated() { places[write.object, default: []].append(place) }
    return places
  }

  /// Unites two local objects: the server assigned a key that another local object has, which the server hasn't had.
  /// Both are now the object with that key, as if it had been created on both sides.
  private func unite(
    _ old: SyncObjectID, with new: SyncObjectID, _ present: SyncEntry, _ draft: inout Draft,
    _ now: Date
  ) throws {
    let record = draft.writes.records[old]
    draft.writes.values.removeAll { $0.object == old }
    draft.writes.values.append((old, nil))
    draft.writes.records[old] = SyncRecord()
    draft.pending.settle(old)
    // Already handled when the other object was pushed too.
    guard draft.taken[new] == nil, let version = record?.version, let base = record?.base else {
      return
    }
    var entry = present
    if let record = draft.writes.records[new] { entry.record = record }
    try take(
      SyncRemote(object: new, version: version, values: base), &entry, &draft, now: now)
    draft.writes.records[new] = entry.record
  }

  private func redirected(
    _ values: SyncValues, of entity: String, _ renames: [SyncObjectID: SyncObjectID]
  ) -> SyncValues {
    schema.redirected(values, of: entity, renames) { key, property, _ in
      storage.value(ofKey: key, in: SyncObjectID(entity, ""), property: property)
    }
  }

  /// Rewrites objects that hold a renamed key as a value. An object that refers to a key that the server didn't know
  /// hasn't been sent before that key, so it is pending, in flight or just acknowledged.
  ///
  /// - Parameter moved: The renames that keep the object's identity, without those that unite two objects.
  private func redirectReferrers(
    _ renames: [SyncObjectID: SyncObjectID], _ moved: [SyncObjectID: SyncObjectID],
    _ draft: inout Draft
  ) throws {
    // Objects of classes that refer to no renamed object needn't be read.
    let renamed = Set(renames.keys.map(\.entity))
    let referring = Set(schema.entities.keys.filter { schema.refers($0, toAnyOf: renamed) })
    guard !referring.isEmpty else { return }
    let before = Dictionary(moved.map { ($1, $0) }, uniquingKeysWith: { $1 })
    var candidates = Set(draft.pending.objects)
    candidates.formUnion(draft.inFlight.map(\.change.object))
    candidates.formUnion(draft.writes.records.keys)
    candidates.formUnion(try storage.quarantineReasons().keys)
    let stored = candidates.filter { referring.contains($0.entity) }.map { before[$0] ?? $0 }
    let loaded = try storage.load(stored)
    var places = places(in: draft.writes.values)
    for old in stored.sorted() {
      let object = moved[old] ?? old
      let written = places[object]?.last
      let values = written.map { draft.writes.values[$0].values } ?? loaded[old]?.values
      guard let values else { continue }
      var redirected = redirected(values, of: object.entity, renames)
      guard redirected != values else { continue }
      // The stored values of an object that gets another key itself have the former one.
      if object != old {
        redirected = try storage.complete(redirected, of: object, over: redirected) ?? redirected
      }
      if let written {
        draft.writes.values[written].values = redirected
      } else {
        places[object] = [draft.writes.values.count]
        draft.writes.values.append((object, redirected))
      }
    }
  }
}
