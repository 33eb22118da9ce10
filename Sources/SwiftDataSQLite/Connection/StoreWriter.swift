import CSQLite
import Dispatch
import Foundation
import SwiftDataCore
import Synchronization

/// The write connection of a store, for one caller at a time.
///
/// Commits go to the write-ahead log, which is written back into the file when it has grown to 1000 pages, as SQLite does
/// by itself (https://sqlite.org/wal.html, section 3.2). SQLite does it in the commit, and whoever commits waits for it.
/// Here another thread does it, soon after. Commits are on the disk before that, so nothing depends on it. Whoever comes
/// first to write again does it; and a log that grows on within one call is written back meanwhile.
final class StoreWriter: Sendable {
  private struct Guarded: ~Copyable, @unchecked Sendable {
    // Unchecked: the connection is used under the lock only.
    var connection: Connection?
    /// Another thread is about to write the log back.
    var isScheduled = false
  }

  private let guarded: Mutex<Guarded>
  private let path: String
  /// The thread that uses the connection; 0 while nobody does.
  private let user = Atomic<UInt>(0)
  // Unsafe: set and read on the thread that uses the connection only.
  private nonisolated(unsafe) var inUse: Connection?

  /// - Parameter checkpointsLater: Whether another thread may write the log back.
  init(_ connection: Connection, checkpointsLater: Bool) {
    if checkpointsLater { connection.watchLog() }
    path = connection.path
    guarded = Mutex(Guarded(connection: connection))
  }

  /// Whether this is called by code that ``use(_:)`` runs, such as the encoding of somebody's own type: waiting for the
  /// connection would never end.
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
    return try guarded.withLock { guarded in
      user.store(CurrentThread.number, ordering: .relaxed)
      defer { user.store(0, ordering: .relaxed) }
      nonisolated(unsafe) var result: Result?
      checkpoint(&guarded)
      guard let connection = guarded.connection else { return result }
      inUse = connection
      defer { inUse = nil }
      result = try body(connection)
      if connection.takeLogLength() >= Connection.longLog { schedule(&guarded) }
      return result
    }
  }

  /// To be called before another connection of the store begins to write: a transaction that begins while the log isn't
  /// written back can't begin it anew, and it would grow.
  func prepare() {
    if isUsedHere { return }
    guarded.withLock { checkpoint(&$0) }
  }

  /// Another connection of the store, which watches the log, has committed.
  func committed(on other: Connection) {
    guard other.takeLogLength() >= Connection.longLog else { return }
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

  /// Closes the connection, behind whoever uses it.
  func close() {
    guarded.withLock { $0.connection = nil }
  }
}

extension Connection {
  /// How many pages the write-ahead log may have before it is written back.
  static let longLog = 1000
  /// How many it may have when the connection commits again before anybody looks.
  private static let longestLog = 16_000

  /// Notes how long the log is after each commit, instead of SQLite's writing it back in the commit.
  func watchLog() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        let wasLong = connection.logLength >= Connection.longestLog
        connection.logLength = Int(pages)
        if wasLong { connection.checkpoint() }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// How long the log was after the last commit since this was asked for; 0 without one.
  fileprivate func takeLogLength() -> Int {
    defer { logLength = 0 }
    return logLength
  }

  /// Writes back what no reader still needs in the log. What is left, or fails, is left to the next time: so does SQLite.
  fileprivate func checkpoint() {
    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
}
