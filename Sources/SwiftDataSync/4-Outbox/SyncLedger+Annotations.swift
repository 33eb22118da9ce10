import Foundation

/// Annotated classes: their objects come from another source, and only a few of their properties are synchronized. An
/// object with the default values counts as nonexistent, so its creation is the first edit and its deletion is the
/// return to the defaults.
extension SyncLedger {
  /// Merges the values of an object. For an annotated class, the merge is by property even when a side has no object,
  /// which stands for the default values.
  ///
  /// A property that `base` lacks wasn't synchronized when both sides last agreed: its initial value isn't an edit.
  func merge(
    _ object: SyncObjectID, base: SyncValues?, local: SyncValues?, remote: SyncValues?
  ) -> ThreeWayMerge.Result {
    let policy = schema.policy(of: object.entity)
    let entity = schema.entities[object.entity]
    let base = base.map { entity?.adapted($0) ?? $0 }
    guard let defaults = schema.defaults[object.entity] else {
      return ThreeWayMerge.merge(
        object, base: base, local: local, remote: remote, policy: policy,
        lists: schema.lists(of: object.entity))
    }
    var merged = ThreeWayMerge.merge(
      object, base: base ?? defaults, local: local ?? defaults, remote: remote ?? defaults,
      policy: policy)
    merged.values = merged.values.flatMap { schema.withoutDefaults($0, of: object.entity) }
    return merged
  }

  /// Merges the server's values into a row that has been inserted, or inserted again. The row was created with the
  /// defaults: any difference from them is an edit.
  func rejoin(_ object: SyncObjectID, _ entry: inout SyncEntry, _ draft: inout Draft) {
    let remote = entry.record.version == nil ? nil : entry.agreed
    adopt(
      merge(object, base: nil, local: entry.values, remote: remote), object, &entry, &draft)
    entry.presence = .here
    draft.writes.rejoined.insert(object)
    draft.writes.records[object] = entry.record
  }

  /// Returns the objects of a save that may have to be sent: of annotated objects, only those with edits, a new row or
  /// a quarantined change.
  func relevant(_ objects: [SyncObjectID]) throws -> [SyncObjectID] {
    let annotated = objects.filter { schema.defaults[$0.entity] != nil }
    guard !annotated.isEmpty else { return objects }
    var chosen: Set<SyncObjectID> = []
    for start in stride(from: 0, to: annotated.count, by: 1_000) {
      let part = Array(annotated[start..<min(start + 1_000, annotated.count)])
      for (object, entry) in try storage.load(part)
      where entry.isEdited || entry.presence == .back || entry.record.quarantine != nil {
        chosen.insert(object)
      }
    }
    return objects.filter { schema.defaults[$0.entity] == nil || chosen.contains($0) }
  }

  // MARK: Marks

  /// Marks objects with edits, for display, whether or not they can be sent now.
  package func markEdits() throws {
    guard !schema.marked.isEmpty else { return }
    try perform { draft in
      let objects = draft.pending.objects.filter {
        schema.marked.contains($0.entity) && !marked.contains($0)
      }
      for (object, entry) in try storage.load(Array(objects)) {
        mark(object, entry, &draft)
      }
    }
  }

  /// Records the sync state that an object will display.
  ///
  /// - Parameter agreed: The time at which both sides came to agree; nil when they didn't just now.
  func mark(
    _ object: SyncObjectID, _ entry: SyncEntry, agreed: Date? = nil, _ draft: inout Draft
  ) {
    guard schema.marked.contains(object.entity) else { return }
    let hasEdits = entry.isEdited
    draft.writes.marks[object] = SyncMarking(hasEdits: hasEdits, agreed: hasEdits ? nil : agreed)
  }
}
