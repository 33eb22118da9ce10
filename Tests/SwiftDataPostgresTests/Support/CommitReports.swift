import SwiftDataCore

@testable import SwiftDataPostgres

/// The commits that a store reports, with the time of each.
final class CommitReports: Sendable {
  let store: PostgresStore
  let commits: AsyncStream<(commit: StoreCommit, time: ContinuousClock.Instant)>
  private let subscription: StoreCommits.Subscription

  init(_ store: PostgresStore) {
    self.store = store
    let (stream, continuation) = AsyncStream<(commit: StoreCommit, time: ContinuousClock.Instant)>
      .makeStream()
    commits = stream
    subscription = store.commits.subscribe { continuation.yield(($0, .now)) }
  }
}
