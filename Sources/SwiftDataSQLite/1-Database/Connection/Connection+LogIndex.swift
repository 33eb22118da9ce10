import CSQLite
import Foundation

/// The index of the write-ahead log (https://sqlite.org/walformat.html), in memory that all processes share.
extension Connection {
  /// The number of commits counted by the index of the write-ahead log (https://sqlite.org/walformat.html, `iChange`),
  /// read from shared memory. nil when the database has no such log.
  var commitCount: UInt32? { logIndex?.load(fromByteOffset: Self.changeCounter, as: UInt32.self) }

  /// The last commit as described by the index of the write-ahead log: while it is unchanged, there was no commit. nil
  /// in the same cases as ``commitCount``.
  var commitMark: LogCommit? {
    guard let index = logIndex else { return nil }
    return LogCommit(
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
