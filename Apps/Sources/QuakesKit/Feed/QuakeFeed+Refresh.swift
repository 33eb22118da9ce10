import Foundation
import LocalCopy

extension QuakeFeed {
  /// Whether a refresh waits for that of another program.
  public var isWaiting: Bool { leases.isWaiting }

  /// Refreshes the copy, unless another program that shares the store is loading the same feed: then its result is
  /// waited for. If that program ends before, this one loads the feed.
  /// - Parameters:
  ///   - force: Whether to send a request even if the copy is still fresh according to the feed's server.
  ///   - onWait: Called when it waits for another program.
  /// - Returns: The report of the refresh, or of the other program's.
  /// - Throws: `LocalCopyError`, `CancellationError` or ``QuakesError``. In these cases the copy is unchanged.
  @discardableResult
  public func refresh(
    force: Bool = false, onWait: @Sendable () -> Void = {}
  ) async throws -> RefreshReport {
    do {
      return try await refreshOnce(force: force, onWait: onWait)
    } catch let error as LocalCopyError {
      throw selection.explained(error)
    }
  }

  private func refreshOnce(
    force: Bool, onWait: @Sendable () -> Void
  ) async throws -> RefreshReport {
    let before = copy.state.lastGood
    var observation: FeedLeases.Observation?
    var hasWaited = false
    defer { if hasWaited { leases.endWaiting() } }
    while true {
      try Task.checkCancellation()
      let holder: String?
      do {
        holder = try await leases.take(&observation)
      } catch {
        // The refresh itself tells what is wrong with the store.
        logger.warning("the lease of the feed cannot be used: \(error)")
        return try await copy.refresh(force: force)
      }
      if let holder {
        let mayBeAnothers = !force || hasWaited
        return try await leases.hold(as: holder) {
          if mayBeAnothers, let report = try loaded(since: before, force: force) { return report }
          return try await copy.refresh(force: force)
        }
      }
      if !hasWaited {
        hasWaited = true
        leases.beginWaiting()
        onWait()
      }
      if let report = try loaded(since: before, force: force) { return report }
      try await Task.sleep(for: leases.timing.pause)
    }
  }

  /// Returns the report of another refresh that has ended since the copy was last good.
  private func loaded(since before: Date?, force: Bool) throws -> RefreshReport? {
    _ = try copy.catchUp()
    guard copy.state.lastGood != before, let report = copy.lastReport else { return nil }
    // A refresh that found no request necessary doesn't satisfy a caller that forces one.
    return force && report.attempts == 0 ? nil : report
  }
}
