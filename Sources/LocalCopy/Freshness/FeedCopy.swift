import Foundation
import SwiftDataCore
import Synchronization
import WireFormats

/// Keeps a copy of a feed in a store: runs one refresh at a time and publishes the state to all
/// subscribers.
package final class FeedCopy<Element: Decodable & Sendable, Store: ImportStore>: Sendable {
  /// The values shared by callers in all tasks.
  struct Shared {
    var record: CopyRecord?
    /// The stored data when it was last read; the record may be newer.
    var stored: Data?
    var machine: FreshnessMachine
    var flight: Flight?
    var subscribers: [Int: AsyncStream<LocalCopyState>.Continuation] = [:]
    var published: LocalCopyState?
    var timer: Task<Void, Never>?
    var nextIdentifier = 0

    mutating func identifier() -> Int {
      nextIdentifier += 1
      return nextIdentifier
    }
  }

  /// The refresh in progress and the callers that wait for it.
  struct Flight {
    let identifier: Int
    let task: Task<Void, Never>
    var waiters: [Int: CheckedContinuation<RefreshReport, any Error>] = [:]
    /// Whether the refresh was cancelled because all callers had left.
    var isCalledOff = false
  }

  /// The error for callers that joined a refresh after its cancellation: they start another one.
  private struct CalledOff: Error {}

  let shared: Mutex<Shared>
  private let refresh: FeedRefresh<Element, Store>
  let clock: any TimeSource

  init(
    of source: FeedSource, plan: ImportPlan<Element, Store.Model>, into store: Store,
    _ configuration: LocalCopyConfiguration
  ) throws {
    let name = configuration.name ?? source.identity
    let content = configuration.entity.map { "\($0) \(plan.elements)" }
    clock = configuration.clock
    let refresh = FeedRefresh<Element, Store>(
      source: source, name: name, http: configuration.http, plan: plan, store: store,
      clock: configuration.clock, makeRandom: configuration.makeRandom,
      form: (configuration.revision, configuration.properties), content: content)
    let stored = try refresh.storedData()
    let record = stored.flatMap(refresh.record(in:))
    self.refresh = refresh
    shared = Mutex(
      Shared(
        record: record, stored: stored,
        machine: FreshnessMachine(
          maximumAge: configuration.maximumAge, lastGood: record?.lastGood)))
  }

  deinit {
    let subscribers = shared.withLock { shared in
      shared.timer?.cancel()
      // The streams must not be finished under the lock, because their termination handler acquires
      // it.
      return Array(shared.subscribers.values)
    }
    for continuation in subscribers { continuation.finish() }
  }

  // MARK: Changes by other processes

  /// Adopts changes that another process, or another `FeedCopy`, has made to the copy.
  /// - Returns: whether anything changed. Returns false during a refresh, which reads the changes
  ///   itself.
  package func catchUp() throws -> Bool { try takeOver(inFlight: false) }

  private func takeOver(inFlight: Bool) throws -> Bool {
    let known = shared.withLock { $0.stored }
    let stored = try refresh.storedData()
    guard stored != known else { return false }
    let record = stored.flatMap(refresh.record(in:))
    return shared.withLock { shared in
      // A refresh of this copy that has ended in the meantime has newer values.
      guard shared.stored == known, (shared.flight != nil) == inFlight else { return false }
      shared.record = record
      shared.stored = stored
      shared.machine.caughtUp(lastGood: record?.lastGood)
      publish(&shared)
      return true
    }
  }

  // MARK: Refreshing

  /// Refreshes the copy, or joins the refresh in progress.
  package func refresh(force: Bool) async throws -> RefreshReport {
    while true {
      do {
        let report = try await joinFlight(force: force)
        // A refresh that found no request necessary does not satisfy a caller that forces one.
        if !force || report.attempts > 0 { return report }
      } catch is CalledOff {
        try Task.checkCancellation()
      }
    }
  }

  /// Refreshes the copy if it is missing or stale, also when another part of the program has deleted it.
  package func refreshIfStale() async throws -> RefreshReport? {
    _ = try catchUp()
    let isStale = shared.withLock { $0.machine.isStale(at: clock.now) }
    return isStale ? try await refresh(force: false) : nil
  }

  private func joinFlight(force: Bool) async throws -> RefreshReport {
    let waiter = shared.withLock { $0.identifier() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = shared.withLock { shared in
          guard !Task.isCancelled else { return true }
          if shared.flight == nil { start(&shared, force: force) }
          shared.flight?.waiters[waiter] = continuation
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      leave(waiter)
    }
  }

  private func start(_ shared: inout Shared, force: Bool) {
    let identifier = shared.identifier()
    shared.machine.started()
    shared.flight = Flight(
      identifier: identifier,
      task: Task { [self] in
        let outcome: Result<RefreshedCopy, any Error>
        do {
          // Another process may have refreshed the copy in the meantime: its data need not be
          // requested again.
          _ = try takeOver(inFlight: true)
          let (record, stored) = self.shared.withLock { ($0.record, $0.stored) }
          outcome = .success(
            try await refresh.run(previous: record, stored: stored, force: force) { progress in
              self.change { $0.machine.progressed(progress) }
            })
        } catch {
          outcome = .failure(error)
        }
        land(outcome)
      })
    publish(&shared)
  }

  /// Removes a cancelled caller immediately; when the last caller leaves, the refresh is cancelled.
  private func leave(_ waiter: Int) {
    let continuation = shared.withLock { shared in
      let continuation = shared.flight?.waiters.removeValue(forKey: waiter)
      if continuation != nil, shared.flight?.waiters.isEmpty == true {
        shared.flight?.isCalledOff = true
        shared.flight?.task.cancel()
      }
      return continuation
    }
    continuation?.resume(throwing: CancellationError())
  }

  private func land(_ outcome: Result<RefreshedCopy, any Error>) {
    let (waiters, isCalledOff) = shared.withLock { shared in
      switch outcome {
      case .success(let refreshed):
        shared.record = refreshed.record
        shared.stored = refreshed.stored
        shared.machine.succeeded(lastGood: refreshed.record.lastGood)
      case .failure(is CancellationError): shared.machine.cancelled()
      case .failure(let error):
        shared.machine.failed(LocalCopyError(wrapping: error), at: clock.now)
      }
      let flight = shared.flight
      shared.flight = nil
      publish(&shared)
      return (flight?.waiters ?? [:], flight?.isCalledOff ?? false)
    }
    for continuation in waiters.values {
      if isCalledOff, case .failure(is CancellationError) = outcome {
        continuation.resume(throwing: CalledOff())
      } else {
        continuation.resume(with: outcome.map(\.record.report))
      }
    }
  }

  /// A failure is also in ``state``.
  private func note(_ error: any Error) {
    SwiftDataLog.report(.notice, "LocalCopy", "A refresh failed", error)
  }

  /// Refreshes repeatedly until the task is cancelled.
  package func run(every interval: Duration) async {
    while !Task.isCancelled {
      var pause = interval
      do {
        _ = try await refresh(force: false)
      } catch let error as LocalCopyError {
        note(error)
        // Capped at an hour: a mistake on the server must not stop the loop permanently.
        pause = max(pause, .seconds(min(error.retryAfter ?? 0, 3600)))
      } catch {
        note(error)
      }
      do { try await clock.sleep(for: pause) } catch { return }
    }
  }
}

extension LocalCopyError {
  /// Wraps an error of user code, such as `accept`; a `LocalCopyError` is kept as it is.
  init(wrapping error: any Error) {
    if let error = error as? LocalCopyError {
      self = error
    } else {
      self = LocalCopyError(
        .refusedDocument, reason: "The application refused the document: \(error)",
        advice: "Nothing was changed; try again later."
      ).causedBy(error)
    }
  }
}
