import SwiftDataCore
import Synchronization

/// Counts the SQL statements that a store executes, from any thread.
final class StatementCounter: Sendable {
  private let executed = Atomic<Int>(0)
  var value: Int { executed.load(ordering: .relaxed) }
  func count() { executed.wrappingAdd(1, ordering: .relaxed) }
}

extension ModelContainer {
  /// How many SQL statements the container's SQLite stores have executed for models since they were opened: a
  /// growth by more than a few while relationships are walked tells of a missing prefetch. Settings of connections
  /// and the beginnings and ends of transactions don't count. Beyond Apple's interface.
  public var executedStatementCount: Int {
    core.stores.reduce(0) { $0 + (($1 as? DefaultStore)?.counter.value ?? 0) }
  }
}
