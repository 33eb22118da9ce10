import CSQLiteDirect
import Foundation

/// A thin wrapper of SQLite's C interface.
public final class RawDatabase {
  public let handle: OpaquePointer

  /// - Parameter hasLevers: Whether to use a page cache of 64 MB and to map 256 MB of the file into
  ///   memory.
  public init(_ file: URL, hasLevers: Bool = false) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(file.path, &opened, flags, nil) == SQLITE_OK, let opened else {
      throw BenchmarkFailure("\(file.path) can't be opened")
    }
    handle = opened
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    if hasLevers { try execute("PRAGMA cache_size = -65536; PRAGMA mmap_size = 268435456") }
  }

  deinit { sqlite3_close_v2(handle) }

  public func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  public func prepare(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    guard
      sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        == SQLITE_OK,
      let statement
    else { throw failure(sql) }
    return RawStatement(statement)
  }

  /// Returns the first column of the first row.
  public func integer(_ sql: String) throws -> Int {
    let statement = try prepare(sql)
    guard try statement.step() else { return 0 }
    return Int(sqlite3_column_int64(statement.handle, 0))
  }

  func failure(_ sql: String) -> BenchmarkFailure {
    BenchmarkFailure("\(String(cString: sqlite3_errmsg(handle))): \(sql)")
  }
}

/// A prepared statement.
public final class RawStatement {
  public let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }
  deinit { sqlite3_finalize(handle) }

  /// - Returns: Whether there is a row.
  @inlinable @inline(__always)
  public func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw BenchmarkFailure(String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))
    }
  }

  @inlinable @inline(__always)
  public func reset() { sqlite3_reset(handle) }

  // MARK: Columns

  @inlinable @inline(__always)
  public func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }
  @inlinable @inline(__always)
  public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
  @inlinable @inline(__always)
  public func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }
  @inlinable @inline(__always)
  public func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
  @inlinable @inline(__always)
  public func intIfAny(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }
  @inlinable @inline(__always)
  public func doubleIfAny(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }
  @inlinable @inline(__always)
  public func textIfAny(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  // MARK: Parameters

  @inlinable @inline(__always)
  public func bind(_ value: Int, at place: Int32) {
    sqlite3_bind_int64(handle, place, Int64(value))
  }
  @inlinable @inline(__always)
  public func bind(_ value: Double, at place: Int32) { sqlite3_bind_double(handle, place, value) }
  @inlinable @inline(__always)
  public func bind(_ value: Int?, at place: Int32) {
    if let value { bind(value, at: place) } else { sqlite3_bind_null(handle, place) }
  }
  @inlinable @inline(__always)
  public func bind(_ value: Double?, at place: Int32) {
    if let value { bind(value, at: place) } else { sqlite3_bind_null(handle, place) }
  }

  /// Binds text that doesn't move during `body`, so that SQLite makes no copy.
  @inlinable @inline(__always)
  public func withText(_ text: String?, at place: Int32, _ body: () throws -> Void) throws {
    guard var text else {
      sqlite3_bind_null(handle, place)
      return try body()
    }
    try text.withUTF8 { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(handle, place, $0.baseAddress, Int32($0.count), nil)
      }
      try body()
    }
  }
}
