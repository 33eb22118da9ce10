import Synchronization

/// The number of commits that the instances of one store in this process have made. It tells the others that they are
/// behind, without a question to the server.
final class LocalCommits: Sendable {
  private struct Reference {
    weak var commits: LocalCommits?
  }

  private static let all = Mutex<[String: Reference]>([:])

  private let value = Atomic<UInt64>(0)

  private init() {}

  /// The commits of a store.
  ///
  /// - Parameter store: The store's identifier.
  static func of(_ store: String) -> LocalCommits {
    all.withLock { all in
      if let known = all[store]?.commits { return known }
      all = all.filter { $0.value.commits != nil }
      let commits = LocalCommits()
      all[store] = Reference(commits: commits)
      return commits
    }
  }

  var count: UInt64 { value.load(ordering: .acquiring) }

  /// Counts a commit.
  ///
  /// - Returns: The count after it.
  func increment() -> UInt64 {
    value.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }
}
