import Synchronization

/// Counts the SQL statements that a store executes, from any thread, and notifies listeners.
package final class StatementCounter: Sendable {
  private let store: String
  @usableFromInline let executed = Atomic<Int>(0)
  /// The interest of ``listeners``, readable without a lock: 0 none, 1 events, 2 events with values.
  @usableFromInline let interest = Atomic<Int>(0)
  private let listeners = Mutex<[StatementListener]>([])

  package init(store: String) { self.store = store }

  package var value: Int { executed.load(ordering: .relaxed) }

  /// Counts a statement that is about to run; returns the data for listeners, nil without any.
  ///
  /// - Parameter expanded: Returns the text with its values; called when a listener includes them.
  @inlinable
  package func begin(_ expanded: () -> String?) -> StatementRun? {
    let number = executed.wrappingAdd(1, ordering: .relaxed).newValue
    let interest = interest.load(ordering: .relaxed)
    guard interest != 0 else { return nil }
    return StatementRun(number: number, expandedSQL: interest > 1 ? expanded() : nil)
  }

  /// Notifies the listeners of the end of a statement.
  package func end(_ run: StatementRun, sql: String, isReading: Bool, rows: Int) {
    let plain = ExecutedStatement(
      number: run.number, store: store, isReading: isReading, sql: sql, expandedSQL: nil,
      rows: rows, duration: run.start.duration(to: .now))
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
package final class StatementRun {
  /// The maximum number of characters of an expanded statement.
  private static let maximumLength = 10_000

  let number: Int
  let start = ContinuousClock.now
  let expandedSQL: String?

  @usableFromInline
  init(number: Int, expandedSQL: String?) {
    self.number = number
    self.expandedSQL = expandedSQL.map { String($0.prefix(Self.maximumLength)) }
  }
}

/// One statement that a store has executed.
package struct ExecutedStatement: Sendable {
  /// The statement's number among those of its store, from 1.
  package let number: Int
  /// The name of the store's configuration.
  package let store: String
  /// Whether the statement can't change the store.
  package let isReading: Bool
  /// The text, with `?` in place of values.
  package let sql: String
  /// The text with its values, cut off after 10,000 characters; nil unless a listener includes values.
  package fileprivate(set) var expandedSQL: String?
  /// The number of rows returned.
  package let rows: Int
  /// The time from its start until its reset, which includes the processing of each row.
  package let duration: Duration
}
