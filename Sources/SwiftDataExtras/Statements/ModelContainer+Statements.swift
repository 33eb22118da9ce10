import Foundation
import SwiftDataCore
import SwiftDataSQL
import Synchronization

/// The statements that the container's databases execute: a counter, a log, and a recording. An addition to Apple's
/// interface.
///
///     let (quakes, statements) = try container.recordingStatements {
///       try context.fetch(FetchDescriptor<Quake>())
///     }
///
///     Task {
///       for await statement in container.statements() where statement.duration > .milliseconds(50) {
///         print(statement)
///       }
///     }
///
/// Statements for models and raw SQL are included. Settings of connections, begins and ends of transactions, the
/// history's own statements, and the rows of a `BatchUpsert` aren't. A repeated fetch whose rows are in the file in its
/// order may be one statement for the row IDs; the reads of each range of rows aren't included then. Without listeners,
/// a statement costs one read of a flag.
extension ModelContainer {
  /// The number of SQL statements that the container's databases have executed for models since they were opened:
  /// an increase by more than a few while relationships are traversed indicates a missing prefetch.
  public var executedStatementCount: Int { counters.reduce(0) { $0 + $1.value } }

  /// The statements that are executed from now on, in the order in which they end, from any thread.
  ///
  /// - Parameters:
  ///   - includingValues: Whether ``StatementEvent/expandedSQL`` is set: values bound to parameters are the app's data.
  ///     Values of encrypted columns appear in stored form, encrypted.
  ///   - bufferSize: The number of events that wait for a reader that is slower than the stores. Older events are
  ///     dropped, which shows in ``StatementEvent/number``.
  /// - Returns: A stream that listens until it, or the task that reads it, ends.
  public func statements(
    includingValues: Bool = false, bufferSize: Int = 1000
  ) -> AsyncStream<StatementEvent> {
    let counters = counters
    let policy = AsyncStream<StatementEvent>.Continuation.BufferingPolicy.bufferingNewest(
      max(1, bufferSize))
    return AsyncStream(bufferingPolicy: policy) { continuation in
      let listener = StatementListener(includesValues: includingValues) {
        continuation.yield(StatementEvent($0))
      }
      for counter in counters { counter.add(listener) }
      continuation.onTermination = { _ in
        for counter in counters { counter.remove(listener) }
      }
    }
  }

  /// Runs `body` and returns the statements executed meanwhile, including those of other threads.
  ///
  /// - Parameters:
  ///   - includingValues: As for ``statements(includingValues:bufferSize:)``.
  ///   - limit: The maximum number of statements to keep, from the first one.
  ///   - body: The code to observe.
  public func recordingStatements<Result>(
    includingValues: Bool = false, limit: Int = 10_000, _ body: () throws -> Result
  ) rethrows -> (result: Result, statements: [StatementEvent]) {
    let record = StatementRecord(limit: limit)
    let listener = StatementListener(includesValues: includingValues) {
      record.append(StatementEvent($0))
    }
    for counter in counters { counter.add(listener) }
    defer { for counter in counters { counter.remove(listener) } }
    let result = try body()
    return (result, record.events)
  }

  private var counters: [StatementCounter] {
    core.stores.compactMap { ($0 as? any StatementCounting)?.counter }
  }
}

/// The events of a recording.
private final class StatementRecord: Sendable {
  private let kept = Mutex<[StatementEvent]>([])
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  var events: [StatementEvent] { kept.withLock { $0 } }

  func append(_ event: StatementEvent) {
    kept.withLock { if $0.count < limit { $0.append(event) } }
  }
}
