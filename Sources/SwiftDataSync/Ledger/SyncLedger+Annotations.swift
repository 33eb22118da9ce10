import Foundation

/// Classes whose objects come from elsewhere: what is kept equal is a few properties of theirs. An object with the
/// default values counts as none, so its making is the first edit and its deletion the return to the defaults.
extension SyncLedger {
  /// Merges; of an annotated class by property also when a side has no object, which stands for the defaults.
  func merge(
    _ object: SyncObjectID, base: SyncValues?, local: SyncValues?, remote: SyncValues?
  ) -> ThreeWayMerge.Result {
    let policy = schema.policy(of: object.entity)
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

  /// Gives a row that has come, or come back, what the server has for it. It was made with the defaults: what differs
  /// from them is an edit.
  func rejoin(_ object: SyncObjectID, _ entry: inout SyncEntry, _ draft: inout Draft) {
    let remote = entry.record.version == nil ? nil : entry.record.base
    adopt(
      merge(object, base: nil, local: entry.values, remote: remote), object, &entry, &draft)
    entry.presence = .here
    draft.writes.rejoined.insert(object)
    draft.writes.records[object] = entry.record
  }

  /// What of a save may have to be sent: of what an import wrote, only that with which there is something to do.
  func relevant(_ objects: [SyncObjectID]) throws -> [SyncObjectID] {
    let annotated = objects.filter { schema.defaults[$0.entity] != nil }
    guard !annotated.isEmpty else { return objects }
    var chosen: Set<SyncObjectID> = []
    for start in stride(from: 0, to: annotated.count, by: 1_000) {
      let part = Array(annotated[start..<min(start + 1_000, annotated.count)])
      for (object, entry) in try storage.load(part)
      where entry.isEdited || entry.presence == .back || entry.record.parking != nil {
        chosen.insert(object)
      }
    }
    return objects.filter { schema.defaults[$0.entity] == nil || chosen.contains($0) }
  }

  // MARK: Marks

  /// Marks what has edits, for display, whether or not anything can be sent now.
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

  /// Notes what the marks of an object are to say.
  ///
  /// - Parameter agreed: When both sides came to agree; nil when they didn't just now.
  func mark(
    _ object: SyncObjectID, _ entry: SyncEntry, agreed: Date? = nil, _ draft: inout Draft
  ) {
    guard schema.marked.contains(object.entity) else { return }
    let hasEdits = entry.isEdited
    draft.writes.marks[object] = SyncMarking(hasEdits: hasEdits, agreed: hasEdits ? nil : agreed)
  }
}
