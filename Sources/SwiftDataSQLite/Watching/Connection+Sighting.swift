import CSQLite
import Foundation
import SwiftDataCore

extension Connection {
  /// How many tries to look while nobody commits.
  private static let tries = 4

  /// Looks how far commits to the file have come.
  func sighting(hasHistory: Bool) throws -> CommitSighting {
    var result = CommitSighting(count: nil, transaction: 0, unrecorded: 0)
    for _ in 0..<Self.tries {
      let before = commitCount
      let (transaction, unrecorded) = try hasHistory ? historyEnd() : (0, 0)
      // The earlier count: too small a one makes who compares look again.
      result = CommitSighting(count: before, transaction: transaction, unrecorded: unrecorded)
      if before == commitCount { break }
    }
    return result
  }

  /// One statement, so that both numbers are of one moment.
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

  /// The commits that the index of the write-ahead log has counted (https://sqlite.org/walformat.html, `iChange`):
  /// reading it is reading memory. nil when the database has no such log.
  var commitCount: UInt32? { logIndex?.load(fromByteOffset: Self.changeCounter, as: UInt32.self) }

  /// What the index of the write-ahead log says of the last commit: as long as it is the same, nobody has committed.
  /// nil as for ``commitCount``.
  var commitMark: CommitMark? {
    guard let index = logIndex else { return nil }
    return CommitMark(
      count: index.load(fromByteOffset: Self.changeCounter, as: UInt32.self),
      checksum: index.loadUnaligned(fromByteOffset: Self.headerChecksum, as: UInt64.self))
  }

  /// The header of the index of the write-ahead log, in memory that all processes share.
  private var logIndex: UnsafeMutableRawPointer? {
    guard !path.isEmpty, !isImmutable, opensLog() else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
      let map = methods.pointee.xShmMap
    else { return nil }
    var page: UnsafeMutableRawPointer?
    // The first page of the index, which is there as long as the connection; nothing is made when it isn't.
    let isMapped = map(file, 0, Self.indexPageSize, 0, &page) == SQLITE_OK
    guard isMapped, let page else { return nil }
    // An index that isn't initialised yet says nothing.
    guard page.load(fromByteOffset: Self.isInitialised, as: UInt8.self) != 0 else { return nil }
    return page
  }

  /// How far the write-ahead log goes, by its index; nil as for ``commitCount``. Exact while nobody else can commit.
  var logExtent: LogExtent? {
    guard let index = logIndex else { return nil }
    let mark = commitMark
    let pageSize = Int64(index.load(fromByteOffset: Self.pageSize, as: UInt16.self))
    let frames = index.load(fromByteOffset: Self.lastFrame, as: UInt32.self)
    return LogExtent(
      // 1 stands for what has no room in 16 bits.
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

/// How long the write-ahead log and the file have to be (https://sqlite.org/walformat.html).
struct LogExtent: Equatable {
  /// In bytes.
  let pageSize: Int64
  /// How many pages the log has.
  let frames: Int64
  /// How many pages the database has; 0 when the log doesn't say.
  let pages: Int64
  /// Whether the file has all pages of the log.
  let isWrittenBack: Bool
  /// The commit that it is of.
  let mark: CommitMark?
  /// Whether both copies of the header are the same, as they are when nobody is just writing them.
  let isSettled: Bool

  /// The bytes of the log: a header, and a header for each page.
  var leastLogSize: Int64 {
    frames == 0 ? 0 : Self.header + frames * (Self.frameHeader + pageSize)
  }
  static let header: Int64 = 32
  static let frameHeader: Int64 = 24

  /// The bytes of the file, where everything is written back.
  var leastSize: Int64 { pages * pageSize }
}

/// A commit, as the index of the write-ahead log describes it: how many there were, and the checksum of the description.
/// A description that is just being written compares as another one.
struct CommitMark: Equatable {
  let count: UInt32
  let checksum: UInt64
}
