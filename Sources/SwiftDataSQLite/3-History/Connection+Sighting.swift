import CSQLite
import Foundation
import SwiftDataCore

extension Connection {
  /// The maximum number of tries to read a consistent state.
  private static let tries = 4

  /// Reads the current state of commits to the file.
  func sighting(hasHistory: Bool) throws -> CommitSighting {
    var result = CommitSighting(count: nil, transaction: 0, unrecorded: 0)
    for _ in 0..<Self.tries {
      let before = commitCount
      let (transaction, unrecorded) = try hasHistory ? historyEnd() : (0, 0)
      // The earlier count: if it is too small, the next comparison checks again.
      result = CommitSighting(count: before, transaction: transaction, unrecorded: unrecorded)
      if before == commitCount { break }
    }
    return result
  }

  /// One statement, so that both numbers are from one snapshot.
  private func historyEnd() throws -> (transaction: Int64, unrecorded: Int64) {
    let statement = try statement(
      """
      SELECT max(ifnull((SELECT max(number) FROM "_history_transaction"), 0),
          ifnull((SELECT value FROM "_metadata" WHERE key = '\(HistoryTables.markKey)'), 0)),
        ifnull((SELECT value FROM "_metadata" WHERE key = '\(HistoryTables.unrecordedKey)'), 0)
      """)
    defer { statement.reset() }
    guard try statement.step() else { return (0, 0) }
    return (statement.rowID(at: 0), statement.rowID(at: 1))
  }

  /// The number of commits counted by the index of the write-ahead log (https://sqlite.org/walformat.html, `iChange`),
  /// read from shared memory. nil when the database has no such log.
  var commitCount: UInt32? { logIndex?.load(fromByteOffset: Self.changeCounter, as: UInt32.self) }

  /// The last commit as described by the index of the write-ahead log: while it is unchanged, there was no commit. nil
  /// in the same cases as ``commitCount``.
  var commitMark: CommitMark? {
    guard let index = logIndex else { return nil }
    return CommitMark(
      count: index.load(fromByteOffset: Self.changeCounter, as: UInt32.self),
      checksum: index.loadUnaligned(fromByteOffset: Self.headerChecksum, as: UInt64.self))
  }

  /// The header of the index of the write-ahead log, in memory shared by all processes.
  private var logIndex: UnsafeMutableRawPointer? {
    guard !path.isEmpty, !isImmutable, opensLog() else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
      let map = methods.pointee.xShmMap
    else { return nil }
    var page: UnsafeMutableRawPointer?
    // The first page of the index, which exists as long as the connection; it isn't created when it is missing.
    let isMapped = map(file, 0, Self.indexPageSize, 0, &page) == SQLITE_OK
    guard isMapped, let page else { return nil }
    // An index that isn't initialized yet has no valid content.
    guard page.load(fromByteOffset: Self.isInitialised, as: UInt8.self) != 0 else { return nil }
    return page
  }

  /// The extent of the write-ahead log according to its index; nil in the same cases as ``commitCount``. Exact while no
  /// other connection can commit.
  var logExtent: LogExtent? {
    guard let index = logIndex else { return nil }
    let mark = commitMark
    let pageSize = Int64(index.load(fromByteOffset: Self.pageSize, as: UInt16.self))
    let frames = index.load(fromByteOffset: Self.lastFrame, as: UInt32.self)
    return LogExtent(
      // The value 1 represents 65,536, which doesn't fit into 16 bits.
      pageSize: pageSize == 1 ? 65_536 : pageSize, frames: Int64(frames),
      pages: Int64(index.load(fromByteOffset: Self.pageCount, as: UInt32.self)),
      isWrittenBack: index.load(fromByteOffset: Self.writtenBack, as: UInt32.self) == frames
        && mark == commitMark, mark: mark,
      isSettled: memcmp(index, index + Self.headerSize, Self.headerSize) == 0)
  }

  private static let indexPageSize: Int32 = 32 * 1024
  private static let changeCounter = 8
  private static let isInitialised = 12
  private static let pageSize = 14
  private static let lastFrame = 16
  private static let pageCount = 20
  private static let writtenBack = 96
  private static let headerChecksum = 40
  private static let headerSize = 48
}

/// The required lengths of the write-ahead log and the file (https://sqlite.org/walformat.html).
struct LogExtent: Equatable {
  /// The page size in bytes.
  let pageSize: Int64
  /// The number of pages in the log.
  let frames: Int64
  /// The number of pages of the database; 0 when the log doesn't contain it.
  let pages: Int64
  /// Whether the file has all pages of the log.
  let isWrittenBack: Bool
  /// The commit that the extent belongs to.
  let mark: CommitMark?
  /// Whether both copies of the header are equal, as they are when no process is writing them.
  let isSettled: Bool

  /// The number of bytes of the log: a header, and for each page a header and the page.
  var leastLogSize: Int64 {
    frames == 0 ? 0 : Self.header + frames * (Self.frameHeader + pageSize)
  }
  static let header: Int64 = 32
  static let frameHeader: Int64 = 24

  /// The number of bytes of the file, where everything is written back.
  var leastSize: Int64 { pages * pageSize }
}

/// A commit as described by the index of the write-ahead log: the number of commits, and the checksum of the header. A
/// header that is being written compares as different.
struct CommitMark: Equatable {
  let count: UInt32
  let checksum: UInt64
}
