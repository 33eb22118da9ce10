import Foundation
import SwiftDataCore
import Synchronization

/// What the container's SQLite stores execute: a counter, a log, and a recording. Beyond Apple's interface.
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
/// Statements for models are in it, with those of raw SQL. Settings of connections, beginnings and ends of
/// transactions, the history's own statements, and the rows of a `BatchUpsert` aren't. A fetch that is asked for again
/// and whose rows lie in the file in its order may be one statement for the row ids; how each stretch of rows is then
/// read isn't in it. While nobody listens, a statement costs one look at a flag.
extension ModelContainer {
  /// How many SQL statements the container's SQLite stores have executed for models since they were opened: a
  /// growth by more than a few while relationships are walked tells of a missing prefetch.
  public var executedStatementCount: Int { counters.reduce(0) { $0 + $1.value } }

  /// The statements that are executed from now on, in the order in which they end, from any thread.
  ///
  /// - Parameters:
  ///   - includingValues: Whether ``StatementEvent/expandedSQL`` is filled in: what is bound to parameters is the
  ///     app's data. Values of encrypted columns appear as they are stored, encrypted.
  ///   - bufferSize: How many events wait for a reader that is slower than the stores. Older ones are dropped, which
  ///     ``StatementEvent/number`` tells.
  /// - Returns: A stream that listens until it, or the task that reads it, ends.
  public func statements(
    includingValues: Bool = false, bufferSize: Int = 1000
  ) -> AsyncStream<StatementEvent> {
    let counters = counters
    let policy = AsyncStream<StatementEvent>.Continuation.BufferingPolicy.bufferingNewest(
      max(1, bufferSize))
    return AsyncStream(bufferingPolicy: policy) { continuation in
      let listener = StatementListener(includesValues: includingValues) {
        continuation.yield($0)
      }
      for counter in counters { counter.add(listener) }
      continuation.onTermination = { _ in
        for counter in counters { counter.remove(listener) }
      }
    }
  }

  /// Runs `body` and tells which statements were executed meanwhile, by other threads too.
  ///
  /// - Parameters:
  ///   - includingValues: As for ``statements(includingValues:bufferSize:)``.
  ///   - limit: How many statements are kept at most, the first ones.
  ///   - body: What to watch.
  public func recordingStatements<Result>(
    includingValues: Bool = false, limit: Int = 10_000, _ body: () throws -> Result
  ) rethrows -> (result: Result, statements: [StatementEvent]) {
    let record = StatementRecord(limit: limit)
    let listener = StatementListener(includesValues: includingValues) { record.append($0) }
    for counter in counters { counter.add(listener) }
    defer { for counter in counters { counter.remove(listener) } }
    let result = try body()
    return (result, record.events)
  }

  private var counters: [StatementCounter] {
    core.stores.compactMap { ($0 as? DefaultStore)?.counter }
  }
}

/// One statement that a store has executed.
public struct StatementEvent: Sendable, CustomStringConvertible {
  /// What a statement does to the store.
  public enum Kind: String, Hashable, Sendable {
    case read, write
  }

  /// The statement's place among those of its store, from 1 on.
  public let number: Int
  /// The name of the store's configuration.
  public let store: String
  public let kind: Kind
  /// The text, with `?` in place of values.
  public let sql: String
  /// The text with its values, at most 10,000 characters of it; nil unless values were asked for.
  public let expandedSQL: String?
  /// How many rows it has given.
  public let rows: Int
  /// From its start until the store was through with it, which includes what was done with each row.
  public let duration: Duration

  public var description: String { "\(store) \(number), \(duration), \(rows) rows: \(sql)" }
}
