import CSQLite
import Dispatch
import Foundation
import SwiftDataCore
import Synchronization

/// The write connection of a store, for one caller at a time.
///
/// Commits go to the write-ahead log, which is written back into the file when it has grown to 1000 pages, as SQLite
/// does by default (https://sqlite.org/wal.html, section 3.2). SQLite does it in the commit, and the committing thread
/// waits for it. Here another thread does it soon afterwards. Commits are on the disk before that, so nothing depends
/// on it. If another write comes first, its thread writes the log back; and a log that continues to grow within one
/// call is written back meanwhile.
final class StoreWriter: Sendable {
  private struct Guarded: ~Copyable, @unchecked Sendable {
    // Unchecked: the connection is used under the lock only.
    var connection: Connection?
    /// Whether another thread is about to write the log back.
    var isScheduled = false
  }

  private let guarded: Mutex<Guarded>
  private let path: String
  /// The thread that uses the connection; 0 when there is none.
  private let user = Atomic<UInt>(0)
  // Unsafe: set and read only on the thread that uses the connection.
  private nonisolated(unsafe) var inUse: Connection?

  /// - Parameter checkpointsLater: Whether another thread may write the log back.
  init(_ connection: Connection, checkpointsLater: Bool) {
    if checkpointsLater { connection.watchLog() }
    path = connection.path
    guarded = Mutex(Guarded(connection: connection))
  }

  /// Whether the caller is code that ``use(_:)`` runs, such as the encoding of a custom type: it would wait for the
  /// connection forever.
  var isUsedHere: Bool { user.load(ordering: .relaxed) == CurrentThread.number }

  /// The connection for code that ``use(_:)`` runs; nil elsewhere.
  var connectionUsedHere: Connection? { isUsedHere ? inUse : nil }

  /// Runs `body` with the connection; nil after ``close()``.
  ///
  /// - Throws: ``StoreError/Code/busy`` while ``isUsedHere``.
  func use<Result>(_ body: (Connection) throws -> Result) throws -> Result? {
    guard !isUsedHere else {
      throw StoreError(
        .busy, path: path,
        explanation:
          "it is being written to further up on the same thread, by a save or a batch that"
          + " called this code; save after that")
    }
    return try SwiftDataLog.withMessagesHeld { try locked(body) }
  }

  private func locked<Result>(_ body: (Connection) throws -> Result) throws -> Result? {
    try guarded.withLock { guarded in
      user.store(CurrentThread.number, ordering: .relaxed)
      defer { user.store(0, ordering: .relaxed) }
      nonisolated(unsafe) var result: Result?
      checkpoint(&guarded)
      guard let connection = guarded.connection else { return result }
      inUse = connection
      defer { inUse = nil }
      result = try body(connection)
      if connection.consumeLogLength() >= Connection.longLog { schedule(&guarded) }
      return result
    }
  }

  /// Writes the log back if due. Call it before another connection of the store begins to write: a transaction that
  /// begins while the log isn't written back can't restart it, and it would grow.
  func prepare() {
    if isUsedHere { return }
    guarded.withLock { checkpoint(&$0) }
  }

  /// Records the commit of another connection of the store, which watches the log.
  func committed(on other: Connection) {
    guard other.consumeLogLength() >= Connection.longLog else { return }
    guarded.withLock { schedule(&$0) }
  }

  private func schedule(_ guarded: inout Guarded) {
    if guarded.isScheduled { return }
    guarded.isScheduled = true
    DispatchQueue.global(qos: .utility).async { [weak self] in self?.prepare() }
  }

  /// Writes the log back if that is due.
  private func checkpoint(_ guarded: inout Guarded) {
    guard guarded.isScheduled else { return }
    guarded.isScheduled = false
    guarded.connection?.checkpoint()
  }

  /// Closes the connection, after its current user has finished.
  func close() {
    guarded.withLock { $0.connection = nil }
  }
}

extension Connection {
  /// The number of pages from which the write-ahead log is written back.
  static let longLog = 1000
  /// The number of pages from which a further commit of the connection writes the log back itself.
  private static let longestLog = 16_000

  /// Records the length of the log after each commit, in place of SQLite's checkpoint in the commit.
  func watchLog() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        let wasLong = connection.log.length >= Connection.longestLog
        connection.log.length = Int(pages)
        if wasLong { connection.checkpoint() }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// The length of the log after the last commit since the previous call; 0 without one.
  fileprivate func consumeLogLength() -> Int {
    defer { log.length = 0 }
    return log.length
  }

  /// Writes back the pages that no reader still needs in the log. Remaining or failed pages are left to the next time,
  /// as in SQLite.
  fileprivate func checkpoint() {
    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
}
