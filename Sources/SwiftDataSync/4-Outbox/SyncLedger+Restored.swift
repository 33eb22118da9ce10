/// The treatment of states that the server lost because its store was replaced by an older copy.
extension SyncLedger {
  /// Whether the server has lost the state on which both sides last agreed.
  func isLost(_ entry: SyncEntry, to remote: SyncRemote) -> Bool {
    guard let skipped = remote.skipped, let version = entry.record.version else { return false }
    return skipped.contains(version)
  }

  /// Takes back the agreement on a state that the server lost, so that it counts as an edit of this device.
  ///
  /// A state of the server from before the lost one is what both sides agree on. Otherwise they agree on nothing: a
  /// later state is in conflict with the one here. A local deletion keeps its agreement, as it would otherwise not be
  /// one.
  ///
  /// - Parameter values: The server's values in the form of the store.
  func forgetLost(
    _ remote: SyncRemote, _ values: SyncValues?, _ entry: inout SyncEntry, _ draft: inout Draft
  ) {
    draft.restored[remote.object] = entry.record.version
    if let values, let skipped = remote.skipped, remote.version < skipped.lowerBound {
      entry.record.base = values
    } else if entry.values != nil {
      entry.record.base = nil
    }
    entry.record.version = nil
  }

  /// The number under which an edit is noted: restored states of one version were sent together, and are again, before
  /// those of later versions and before edits.
  func transaction(of object: SyncObjectID, _ draft: Draft) -> Int64 {
    guard let version = draft.restored[object] else { return draft.position }
    return .min + 1 + max(0, version)
  }

  /// Whether objects here may have states that the server lost, which a page of changes doesn't show.
  ///
  /// - Parameter isCompared: Whether the page belongs to a full comparison, which finds them.
  func holdsLost(_ page: SyncPage, _ draft: inout Draft, isCompared: Bool) throws -> Bool {
    var progress = draft.writes.progress
    defer { draft.writes.progress = progress }
    guard let newest = page.version else {
      if !page.hasMore { progress.deletions = [] }
      return false
    }
    let last = page.skippedVersions.last?.upperBound ?? 0
    if isCompared {
      guard !page.hasMore else { return false }
      (progress.newest, progress.checked) = (newest, max(progress.checked, last))
      progress.deletions = []
      return false
    }
    let received = page.changes.lazy.map(\.version).max() ?? 0
    progress.newest = max(progress.newest, min(received, newest))
    guard progress.newest <= newest else { return true }
    let ranges = page.skippedVersions.filter {
      $0.upperBound > progress.checked && $0.lowerBound <= progress.newest
    }
    progress.checked = max(progress.checked, last)
    let isDeletionLost = progress.deletions.contains { page.skipped($0) != nil }
    if !page.hasMore { progress.deletions = [] }
    if isDeletionLost { return true }
    return try !ranges.isEmpty && storage.hasVersions(in: ranges)
  }

  /// Sends changes again that the server rejected: it may have lacked objects that it had lost, and that it gets now.
  func retryRejected(_ draft: inout Draft) throws {
    let rejected = try storage.quarantineReasons().filter { _, reason in
      if case .rejected = reason { true } else { false }
    }
    let entries = try storage.load(rejected.keys.sorted())
    for object in rejected.keys {
      var record = draft.writes.records[object] ?? entries[object]?.record ?? SyncRecord()
      guard record.quarantine != nil else { continue }
      record.isPending = true
      draft.writes.records[object] = record
      draft.pending.note([object], in: draft.position)
    }
  }
}
