import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// One prepared statement: binds cells and values by position, returns rows as cells.
final class Statement {
  let sql: String
  let handle: OpaquePointer
  private unowned let connection: Connection
  private(set) var isInUse = false
  /// Settings and queries about the file itself aren't work on models, nor is the history. A statement that is only a
  /// part of another statement's work isn't counted either.
  var isCounted: Bool
  /// The data reported to listeners when the statement ends; nil without listeners.
  private var observed: StatementRun?
  private var rows = 0
  private var madeTexts: UnsafeMutablePointer<ShortStringCache>?
  private let cells: UnsafeMutableBufferPointer<_Cell>
  /// The addresses of the columns' values, see ``row(from:)``; the first is nil until they are known.
  private let values: UnsafeMutableBufferPointer<OpaquePointer?>
  /// The maximum number of bytes of a text that is kept in `shortText`.
  private static let shortLength = 128
  /// The text that is bound to the only parameter, which must stay unchanged until the next one is bound.
  private var shortText: UnsafeMutablePointer<UInt8>?

  init(_ sql: String, on connection: Connection) throws {
    self.sql = sql
    self.connection = connection
    isCounted =
      !sql.hasPrefix("PRAGMA") && !sql.hasPrefix("EXPLAIN") && !sql.contains("\"_history_")
      && !sql.contains("\"_metadata\"") && !Connection.isBoundOfReading(sql)
    var prepared: OpaquePointer?
    let result = sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard result == SQLITE_OK, let prepared else { throw connection.error(result, sql: sql) }
    handle = prepared
    let count = Int(sqlite3_column_count(prepared))
    cells = .allocate(capacity: count)
    cells.initialize(repeating: _Cell(kind: .null))
    values = .allocate(capacity: count)
    values.initialize(repeating: nil)
  }

  deinit {
    sqlite3_finalize(handle)
    cells.deallocate()
    values.deallocate()
    shortText?.deallocate()
    madeTexts?.deinitialize(count: 1)
    madeTexts?.deallocate()
  }

  /// Resets the statement for its next use.
  func reset() {
    if let observed { report(observed) }
    sqlite3_reset(handle)
    isInUse = false
  }

  /// Moves to the next row; false after the last.
  func step() throws -> Bool {
    if !isInUse { begin() }
    switch sqlite3_step(handle) {
    case SQLITE_ROW:
      rows &+= 1
      return true
    case SQLITE_DONE: return false
    case let result:
      if result == SQLITE_ERROR, let message = sqlite3_errmsg(connection.handle),
        let failure = IntegerFunctions.error(of: String(cString: message))
      {
        throw failure
      }
      throw connection.error(result, sql: sql)
    }
  }

  private func begin() {
    isInUse = true
    rows = 0
    if isCounted { observed = connection.counter?.begin(handle) }
  }

  private func report(_ run: StatementRun) {
    observed = nil
    connection.counter?.end(run, handle, sql: sql, rows: rows)
  }

  /// Runs the statement to its end.
  func run() throws {
    defer { reset() }
    while try step() {}
  }

  // MARK: Binding

  /// Binds cells of a row from position `first` on (counted from 1). The row's arena must stay unchanged until the
  /// statement has run, because SQLite doesn't copy it.
  func bind(_ cells: ArraySlice<_Cell>, arena: UnsafePointer<UInt8>?, at first: Int32) throws {
    var position = first
    for cell in cells {
      try bind(cell, arena: arena, at: position)
      position += 1
    }
  }

  /// Binds cells whose bytes are in `arena`, which must stay unchanged until the statement has run.
  func bind(
    _ cells: UnsafeBufferPointer<_Cell>, arena: UnsafePointer<UInt8>?, at first: Int32
  ) throws {
    var position = first
    for cell in cells {
      try bind(cell, arena: arena, at: position)
      position += 1
    }
  }

  /// Binds bytes without a copy: they must stay unchanged until the statement has run.
  func bind(blob bytes: UnsafeRawBufferPointer, at position: Int32) throws {
    // A null pointer would bind NULL, which differs from an empty blob.
    let result =
      bytes.isEmpty
      ? sqlite3_bind_zeroblob(handle, position, 0)
      : sqlite3_bind_blob64(handle, position, bytes.baseAddress, UInt64(bytes.count), nil)
    guard result == SQLITE_OK else { throw connection.error(result, sql: sql) }
  }

  func bind(_ cell: _Cell, arena: UnsafePointer<UInt8>?, at position: Int32) throws {
    let result: Int32
    switch cell.kind {
    case .null: result = sqlite3_bind_null(handle, position)
    case .integer: result = sqlite3_bind_int64(handle, position, cell.bits)
    case .real:
      result = sqlite3_bind_double(
        handle, position, Double(bitPattern: UInt64(bitPattern: cell.bits)))
    case .text:
      let start = arena.map { UnsafeRawPointer($0 + Int(cell.bits)) }
      result = sqlite3_bind_text64(
        handle, position, start?.assumingMemoryBound(to: CChar.self), UInt64(cell.count), nil,
        UInt8(SQLITE_UTF8))
    case .blob:
      // A null pointer would bind NULL, which differs from an empty blob.
      result =
        cell.count == 0
        ? sqlite3_bind_zeroblob(handle, position, 0)
        : sqlite3_bind_blob64(
          handle, position, arena.map { $0 + Int(cell.bits) }, UInt64(cell.count), nil)
    }
    guard result == SQLITE_OK else { throw connection.error(result, sql: sql) }
  }

  /// Binds values from the first parameter on; the statement copies them.
  func bind(_ values: [SQLValue]) throws {
    // A single short text, as in a look-up by a key, is copied to where the last one was: SQLite would allocate memory.
    if values.count == 1, !isInUse, case .text(let text) = values[0],
      try bind(shortText: text)
    {
      return
    }
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
  }

  /// Binds the only parameter of a statement.
  ///
  /// - Returns: Whether the text is short enough.
  private func bind(shortText text: String) throws -> Bool {
    var text = text
    let result: Int32? = text.withUTF8 { bytes in
      guard bytes.count <= Self.shortLength else { return nil }
      let copy = shortText ?? .allocate(capacity: Self.shortLength)
      shortText = copy
      if let start = bytes.baseAddress { copy.update(from: start, count: bytes.count) }
      return copy.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_bind_text64(handle, 1, $0, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
      }
    }
    guard let result else { return false }
    guard result == SQLITE_OK else { throw connection.error(result, sql: sql) }
    return true
  }

  func bind(_ value: SQLValue, at position: Int32) throws {
    let result: Int32
    switch value {
    case .null: result = sqlite3_bind_null(handle, position)
    case .integer(let integer): result = sqlite3_bind_int64(handle, position, integer)
    case .real(let real): result = sqlite3_bind_double(handle, position, real)
    case .text(let text):
      var text = text
      result = text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          // The address of an empty string may be null, which would bind NULL.
          bytes.isEmpty
            ? sqlite3_bind_text64(handle, position, "", 0, Self.transient, UInt8(SQLITE_UTF8))
            : sqlite3_bind_text64(
              handle, position, bytes.baseAddress, UInt64(bytes.count), Self.transient,
              UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      result =
        bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, position, 0)
        : sqlite3_bind_blob64(handle, position, bytes, UInt64(bytes.count), Self.transient)
    }
    guard result == SQLITE_OK else { throw connection.error(result, sql: sql) }
  }

  /// `SQLITE_TRANSIENT`: SQLite makes its own copy before the call returns.
  static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  // MARK: Rows

  /// The columns of the current row from `first` on; valid until the next step.
  ///
  /// Each column is read as a value, instead of separately for its type, its content and its length. The bytes of a
  /// text are used as they are in the page: reading it as text would copy it to append a zero. Its length is read
  /// first, because that converts the text to UTF-8 in a file with another encoding. Values of this kind may be used by
  /// one thread at a time, like the connection (https://sqlite.org/c3ref/column_blob.html).
  ///
  /// The values of a row are registers of the statement's program, an array: while the first one has the same address,
  /// so have the others, and only the first is requested.
  func row(from first: Int) -> UnsafeBufferPointer<_Cell> {
    let found = sqlite3_column_value(handle, 0)
    if values[0] != found {
      for column in values.indices {
        values[column] = sqlite3_column_value(handle, Int32(truncatingIfNeeded: column))
      }
    }
    for column in first..<cells.count { cells[column] = _Cell(values[column]) }
    return UnsafeBufferPointer(rebasing: cells[first...])
  }

  /// The number of rows of one run from which looking for recurring texts is worthwhile.
  private static let manyRows = 32

  /// The short texts of the rows, by their position among the columns from `first` on; nil at first. Valid until the
  /// next step. Always nil where ``SpeedSwitches`` say so.
  func texts(from first: Int) -> UnsafeMutablePointer<ShortStringCache>? {
    if let madeTexts { return madeTexts }
    guard SpeedSwitches.cachesShortTexts, rows > Self.manyRows else { return nil }
    let made = UnsafeMutablePointer<ShortStringCache>.allocate(capacity: 1)
    made.initialize(to: ShortStringCache(columns: cells.count - first))
    madeTexts = made
    return made
  }

  /// The text of a column; empty when it has none.
  func string(at column: Int32) -> String {
    guard let text = sqlite3_column_text(handle, column) else { return "" }
    return String(cString: text)
  }

  /// A row ID in the row whose cells ``row(from:)`` has just returned.
  func rowIDOfRow(at column: Int = 0) -> Int64 { sqlite3_value_int64(values[column]) }

  func rowID(at column: Int32 = 0) -> Int64 { sqlite3_column_int64(handle, column) }
}

extension _Cell {
  /// The content of a value of a row, see `Statement.row(from:)`.
  @inline(__always)
  fileprivate init(_ value: OpaquePointer?) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self.init(kind: .integer, bits: sqlite3_value_int64(value))
    case SQLITE_FLOAT:
      self.init(kind: .real, bits: Int64(bitPattern: sqlite3_value_double(value).bitPattern))
    case SQLITE_TEXT:
      let count = Int(sqlite3_value_bytes(value))
      self.init(
        kind: .text, bits: Int64(Int(bitPattern: sqlite3_value_blob(value))), count: count)
    case SQLITE_BLOB:
      let blob = sqlite3_value_blob(value)
      self.init(
        kind: .blob, bits: Int64(Int(bitPattern: blob)), count: Int(sqlite3_value_bytes(value)))
    default: self.init(kind: .null)
    }
  }
}
