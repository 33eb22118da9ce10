/// A context catches up with the commits of others.
extension ContextMerger {
  /// Takes over the commits that others have made since the last call, if there are any.
  ///
  /// - Parameter includingDeferred: Whether models that had to wait may have lost their own changes.
  func catchUp(_ context: ModelContext, includingDeferred: Bool = false) {
    guard !isMerging else { return }
    let isBehind = isAutomatic && isBehind
    guard isBehind || includingDeferred && !deferred.isEmpty else { return }
    do {
      if isBehind { try mergeCommits(in: context) } else { try merge(RowsToMerge(), in: context) }
    } catch {
      SwiftDataLog.report(
        .error, "ModelContext", "what others have committed can't be read", error)
    }
  }

  /// Merges the commits of all stores that can be read.
  ///
  /// - Throws: The error of a store that can't, after the others have been merged.
  func mergeCommits(in context: ModelContext) throws {
    let (rows, failure) = consumeChanges(in: context.link)
    try merge(rows, in: context)
    if let failure { throw failure }
  }

  /// Looks at the stores' files before catching up, for callers that aren't about to read anything.
  func checkForCommitsAndCatchUp(_ context: ModelContext) {
    guard isAutomatic, !isMerging else { return }
    for store in context.core.capabilities.compactMap(\.commitTracking) {
      do { try store.checkForCommits() } catch {
        SwiftDataLog.report(
          .error, "ModelContext", "what others have committed can't be read", error)
      }
    }
    catchUp(context)
  }
}
