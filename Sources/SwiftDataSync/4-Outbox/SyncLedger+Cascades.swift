/// The treatment of objects that delete rules delete here, together with objects that the server deleted, although the
/// server may keep them.
extension SyncLedger {
  /// Forgets the objects that the deletions of an operation delete here together with others. They don't count as
  /// deleted by this device: unless the pull shows that the server has deleted them too, everything is fetched again.
  func forgetCascaded(_ draft: inout Draft) throws {
    let gone = Set(draft.writes.values.lazy.filter { $0.values == nil }.map(\.object))
    guard !gone.isEmpty else { return }
    let dependents = try storage.dependents(of: gone.sorted(), after: draft.writes.values)
    let reached = Set(dependents.values.joined()).subtracting(gone)
    guard !reached.isEmpty else { return }
    let entries = try storage.load(reached.sorted())
    // The records of edited objects were taken away with the decision about the deletion. Objects that the operation
    // creates have no entries yet.
    let known = reached.filter { object in
      schema.defaults[object.entity] == nil
        && (entries[object]?.record.version != nil
          || draft.writes.records[object]?.version != nil)
    }
    guard !known.isEmpty else { return }
    draft.writes.values.removeAll { known.contains($0.object) }
    for object in known {
      draft.writes.records[object] = SyncRecord()
      draft.pending.settle(object)
    }
    let progress = draft.writes.progress
    if !progress.hasCascaded && !progress.isRefetching {
      draft.forgotten = known
    } else if !draft.forgotten.isEmpty {
      draft.forgotten.formUnion(known)
    }
    // As long as others are unknown, everything is fetched again in any case.
    if !draft.writes.progress.hasCascaded || !draft.cascaded.isEmpty {
      draft.cascaded.formUnion(known)
    }
    draft.writes.progress.hasCascaded = true
  }

  /// Compares a page with the forgotten objects, and forgets those that its deletions delete.
  ///
  /// - Returns: Whether everything has to be fetched again, because the pull has ended without them.
  func missesCascaded(_ page: SyncPage, _ draft: inout Draft) throws -> Bool {
    // Another engine, or an earlier process, may have forgotten objects, or fetched them.
    let areUnknown = draft.writes.progress.hasCascaded && draft.cascaded.isEmpty
    if !draft.writes.progress.hasCascaded { draft.cascaded = [] }
    draft.cascaded.subtract(page.changes.lazy.map(\.object))
    draft.writes.progress.hasCascaded = areUnknown || !draft.cascaded.isEmpty
    try forgetCascaded(&draft)
    return !page.hasMore && draft.writes.progress.hasCascaded
  }
}
