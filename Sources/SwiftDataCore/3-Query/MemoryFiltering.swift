import Synchronization

/// Records predicates that a store couldn't evaluate alone, so that tests can count them and developers learn of them.
package enum MemoryFiltering {
  private struct Statistics {
    var count = 0
    var reported: Set<String> = []
  }

  private static let statistics = Mutex(Statistics())

  /// The number of fetches in this process that were filtered in memory.
  package static var count: Int { statistics.withLock { $0.count } }

  /// Counts a fetch, and reports the first one of an entity to ``SwiftDataLog``.
  static func recordFetch(_ entity: String) {
    let isFirst = statistics.withLock { statistics in
      statistics.count += 1
      return statistics.reported.insert(entity).inserted
    }
    guard isFirst else { return }
    SwiftDataLog.report(
      .notice, "SwiftData",
      "a part of a predicate on \(entity) is more than the store can evaluate; it is evaluated in memory"
        + " for the rows that the rest lets through. The answer is the same, only slower.")
  }
}
