import CSQLite
import Foundation
import SwiftDataCore
import Synchronization

/// Counts the SQL statements that a store executes, from any thread, and notifies listeners.
package final class StatementCounter: Sendable {
  private let store: String
  private let executed = Atomic<Int>(0)
  /// The interest of ``listeners``, readable without a lock: 0 none, 1 events, 2 events with values.
  private let interest = Atomic<Int>(0)
  private let listeners = Mutex<[StatementListener]>([])

  init(store: String) { self.store = store }

  package var value: Int { executed.load(ordering: .relaxed) }

  /// Counts a statement that is about to run; returns the data for listeners, nil without any.
  func begin(_ statement: OpaquePointer) -> StatementRun? {
    let number = executed.wrappingAdd(1, ordering: .relaxed).newValue
    let interest = interest.load(ordering: .relaxed)
    guard interest != 0 else { return nil }
    return StatementRun(
      number: number, start: .now,
      expandedSQL: interest > 1 ? StatementRun.expanded(statement) : nil)
  }

  func end(_ run: StatementRun, _ statement: OpaquePointer, sql: String, rows: Int) {
    let plain = ExecutedStatement(
      number: run.number, store: store, isReading: sqlite3_stmt_readonly(statement) != 0, sql: sql,
      expandedSQL: nil, rows: rows, duration: run.start.duration(to: .now))
    var expanded = plain
    expanded.expandedSQL = run.expandedSQL
    // Listeners only store the statement, but still no lock is held meanwhile.
    for listener in listeners.withLock({ $0 }) {
      listener.receive(listener.includesValues ? expanded : plain)
    }
  }

  package func add(_ listener: StatementListener) { change { $0.append(listener) } }

  package func remove(_ listener: StatementListener) { change { $0.removeAll { $0 === listener } } }

  private func change(_ body: (inout [StatementListener]) -> Void) {
    listeners.withLock { listeners in
      body(&listeners)
      let wanted = listeners.map { $0.includesValues ? 2 : 1 }.max() ?? 0
      interest.store(wanted, ordering: .relaxed)
    }
  }
}

/// A receiver of the statements that a store executes.
package final class StatementListener: Sendable {
  let includesValues: Bool
  /// Called on the thread that executed the statement, possibly while it holds the store: must not wait or fetch.
  let receive: @Sendable (ExecutedStatement) -> Void

  package init(includesValues: Bool, receive: @escaping @Sendable (ExecutedStatement) -> Void) {
    self.includesValues = includesValues
    self.receive = receive
  }
}

/// A statement in progress, while there are listeners.
final class StatementRun {
  let number: Int
  let start: ContinuousClock.Instant
  let expandedSQL: String?

  init(number: Int, start: ContinuousClock.Instant, expandedSQL: String?) {
    self.number = number
    self.start = start
    self.expandedSQL = expandedSQL
  }

  /// The maximum number of characters of an expanded statement.
  private static let maximumLength = 10_000

  static func expanded(_ statement: OpaquePointer) -> String? {
    guard let text = sqlite3_expanded_sql(statement) else { return nil }
    defer { sqlite3_free(text) }
    return String(String(cString: text).prefix(maximumLength))
  }
}
