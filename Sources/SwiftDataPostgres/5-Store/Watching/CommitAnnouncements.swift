import Synchronization

/// The announcements of a store's commits on a channel of the server, which are made only while somebody listens.
///
/// Each listener shares an advisory lock with the others
/// (https://www.postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS). A transaction that can lock it alone for
/// a moment, after it has its number, has none. Before that, it takes another lock, shared with other transactions
/// until its end: whoever begins to listen waits for that one, and finds the transaction when it looks at the store
/// then. The server releases the locks of a session that has ended.
final class CommitAnnouncements: Sendable {
  let channel: String
  let locks: AnnouncementLocks
  /// The statement that announces a commit.
  let notice: PostgresCommand
  /// Whether the last commit had listeners.
  private let isExpected = Atomic<Bool>(false)

  /// - Parameter identifier: The bytes of the store's identifier.
  init(channel: String, identifier: [UInt8]) {
    self.channel = channel
    let lock = identifier.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    locks = AnnouncementLocks(listeners: lock, commits: ~lock)
    notice = PostgresConnection.notice(to: channel)
  }

  /// The statement to send together with a commit: with listeners, as far as is known before.
  var expected: PostgresCommand? {
    isExpected.load(ordering: .relaxed) ? notice : nil
  }

  /// Takes the answer of a commit.
  ///
  /// - Parameters:
  ///   - hasListeners: Whether it had any.
  ///   - announced: Whether the announcement was sent with it.
  /// - Returns: Whether it has to be sent now.
  func take(hasListeners: Bool, announced: Bool) -> Bool {
    isExpected.store(hasListeners, ordering: .relaxed)
    return hasListeners && !announced
  }
}
