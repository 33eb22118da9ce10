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
  let mark: LogCommit?
  /// Whether both copies of the header are equal, as they are when no process is writing them.
  let isSettled: Bool

  /// The number of bytes of the log: a header, and for each page a header and the page.
  var minimumLogSize: Int64 {
    frames == 0 ? 0 : Self.header + frames * (Self.frameHeader + pageSize)
  }
  static let header: Int64 = 32
  static let frameHeader: Int64 = 24

  /// The number of bytes of the file, where everything is written back.
  var minimumSize: Int64 { pages * pageSize }
}

/// A commit as described by the index of the write-ahead log: the number of commits, and the checksum of the header. A
/// header that is being written compares as different.
struct LogCommit: Equatable {
  let count: UInt32
  let checksum: UInt64
}
