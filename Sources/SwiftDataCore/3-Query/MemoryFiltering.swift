import Synchronization

/// Records predicates that a store couldn't evaluate alone, so that tests can count them and developers learn of them.
package enum MemoryFiltering {
  private struct Account {
    var count = 0
    var reported: Set<String> = []
  }

  private static let account = Mutex(Account())

  /// The number of fetches in this process that were filtered in memory.
  package static var count: Int { account.withLock { $0.count } }

  /// Counts a fetch, and reports the first one of an entity to ``SwiftDataLog``.
  static func recordFetch(_ entity: String) {
    let isFirst = account.withLock { account in
      account.count += 1
      return account.reported.insert(entity).inserted
    }
    guard isFirst else { return }
    SwiftDataLog.report(
      .notice, "SwiftData",
      "a predicate on \(entity) is more than SQL can say, so a part of it is evaluated in memory"
        + " for the rows that the rest lets through. The answer is the same, only slower.")
  }
}
