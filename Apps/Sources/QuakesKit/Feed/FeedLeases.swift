import Dispatch
import Foundation
import LocalCopy
import Logging
import SwiftData
import SwiftDataExtras
import Synchronization

/// Takes, renews and gives back the lease of a feed, so that of all programs that share a store one at a time loads it.
///
/// The lease saves requests. It isn't what keeps the copy whole: an import excludes others by itself, and doesn't
/// replace a newer document.
final class FeedLeases: Sendable {
  /// The times of a lease.
  struct Timing: Sendable {
    /// The time between two renewals.
    var renewal = Duration.seconds(3)
    /// The time without a renewal after which others take over.
    var expiry = Duration.seconds(12)
    /// The time between two looks at a lease that another program has.
    var pause = Duration.milliseconds(200)
  }

  /// The state of a lease, which never comes back once it has changed.
  struct State: Hashable, Sendable {
    var holder: String
    var renewals: Int
  }

  /// The state of another program's lease, and when it was seen first.
  struct Observation: Sendable {
    let state: State
    let since: ContinuousClock.Instant
  }

  private static let author = "lease"

  let timing: Timing
  private let container: ModelContainer
  private let feed: String
  /// The name that earlier versions gave the feed's copy, with the whole query of its address; nil for the same name.
  private let former: String?
  private let logger: Logger
  /// A save may wait for another writer; it must not do so on a thread of the tasks.
  private let queue = DispatchQueue(label: "quakes.lease")
  private let waiting = Mutex(0)

  init(
    of feed: String, formerly former: String? = nil, in container: ModelContainer, timing: Timing,
    logger: Logger
  ) {
    self.feed = feed
    self.former = former
    self.container = container
    self.timing = timing
    self.logger = logger
  }

  // MARK: Waiting

  /// Whether a refresh of this program waits for another program's.
  var isWaiting: Bool { waiting.withLock { $0 > 0 } }

  func beginWaiting() { waiting.withLock { $0 += 1 } }
  func endWaiting() { waiting.withLock { $0 -= 1 } }

  // MARK: Taking

  /// Takes the lease when it is free or has expired.
  /// - Parameter observation: The last look at the lease, nil at first.
  /// - Returns: The name under which this program holds it; nil when another program does.
  /// - Throws: The store's errors.
  func take(_ observation: inout Observation?) async throws -> String? {
    let seen = try await perform { try self.state() }
    let isHeld = seen?.holder.isEmpty == false
    if let seen, isHeld {
      if observation?.state != seen { observation = Observation(state: seen, since: .now) }
      guard let since = observation?.since, since.duration(to: .now) >= timing.expiry else {
        return nil
      }
    }
    let holder = UUID().uuidString
    do {
      return try await perform { try self.take(seen, holder) } ? holder : nil
    } catch let error as StoreError where error.code == .busy && isHeld {
      // The holder, or another program, has been writing for long.
      return nil
    }
  }

  /// The present state of the lease; nil when nobody has ever had it.
  func state() throws -> State? {
    let feed = feed
    var descriptor = FetchDescriptor<FeedLease>(predicate: #Predicate { $0.feed == feed })
    descriptor.fetchLimit = 1
    return try ModelContext(container).fetch(descriptor).first.map {
      State(holder: $0.holder, renewals: $0.renewals)
    }
  }

  /// Takes the lease if it is still as it was seen.
  private func take(_ seen: State?, _ holder: String) throws -> Bool {
    try removeFormer()
    if seen == nil { try create() }
    let seen = seen ?? State(holder: "", renewals: 0)
    let (feed, former, renewals) = (feed, seen.holder, seen.renewals)
    let count = try container.batchUpdate(
      FeedLease.self,
      where: #Predicate {
        $0.feed == feed && $0.holder == former && $0.renewals == renewals
      }, author: Self.author
    ) {
      $0.set(\.holder, to: holder)
      $0.set(\.renewals, to: renewals &+ 1)
    }
    return count > 0
  }

  /// Creates a free lease. One that another program has created meanwhile stays as it is.
  private func create() throws {
    let batch = try BatchUpsert<FeedLease>(
      container, author: Self.author, keeping: [\.holder, \.renewals])
    try batch.upsert(FeedLease(feed: feed, holder: "", renewals: 0))
    try batch.commit()
  }

  /// Deletes the lease under the former name, which must not stay in the store. While the copy's record has this name,
  /// until a load replaces it, ``QuakeStore/coverage()`` finds the record by the lease.
  private func removeFormer() throws {
    guard let former, try container.lastGood(ofCopyNamed: former) == nil else { return }
    let isFormer = #Predicate<FeedLease> { $0.feed == former }
    let descriptor = FetchDescriptor(predicate: isFormer)
    guard try ModelContext(container).fetchCount(descriptor) > 0 else { return }
    try container.batchDelete(FeedLease.self, where: isFormer, author: Self.author)
  }

  // MARK: Holding

  /// Runs `body`, renews the lease meanwhile, and gives it back.
  func hold<Result: Sendable>(
    as holder: String, _ body: () async throws -> Result
  ) async throws -> Result {
    let renewing = Task { [self] in
      while !Task.isCancelled {
        do { try await Task.sleep(for: timing.renewal) } catch { return }
        await change("renewed") { try self.renew(holder) }
      }
    }
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    renewing.cancel()
    await change("given back") { try self.giveBack(holder) }
    await change("renamed") { try self.removeFormer() }
    return try outcome.get()
  }

  /// Changes a lease. A failure has no other effect than that the lease expires later or earlier.
  private func change(_ what: String, _ work: @escaping @Sendable () throws -> Void) async {
    do { try await perform(work) } catch {
      logger.info("the lease of the feed could not be \(what): \(error)")
    }
  }

  private func renew(_ holder: String) throws {
    let feed = feed
    try container.batchUpdate(
      FeedLease.self, where: #Predicate { $0.feed == feed && $0.holder == holder },
      author: Self.author
    ) { $0.set(\.renewals, to: #Expression { $0.renewals + 1 }) }
  }

  private func giveBack(_ holder: String) throws {
    let feed = feed
    try container.batchUpdate(
      FeedLease.self, where: #Predicate { $0.feed == feed && $0.holder == holder },
      author: Self.author
    ) { $0.set(\.holder, to: "") }
  }

  /// Runs `work` on another thread, also in a task that is cancelled.
  private func perform<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result { try work() }) }
    }
  }
}
