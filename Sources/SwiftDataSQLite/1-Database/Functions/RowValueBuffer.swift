import CSQLite
import SwiftDataCore

/// The values of rows that one statement updates. The statement calls a SQL function for each of them
/// (https://sqlite.org/appfunc.html), so that it can update any number of rows without a parameter for each value.
///
/// No function that is called with a part of this object accesses the object again, so its variables have no
/// exclusivity checks.
final class RowValueBuffer {
  /// The function's name. Its arguments are a row ID and the position of a value among those of the row.
  static let function = "_held_value"

  /// One row to be updated.
  struct Row {
    let rowID: Int64
    /// The index of the row among the held ones, which determines its cells.
    let index: Int
    /// Whether the statement has visited the row.
    var isVisited = false
  }

  @exclusivity(unchecked) private var rows = UnsafeMutableBufferPointer<Row>(start: nil, count: 0)
  @exclusivity(unchecked) private var cells = UnsafeBufferPointer<_Cell>(start: nil, count: 0)
  @exclusivity(unchecked) private var arena: UnsafePointer<UInt8>?
  @exclusivity(unchecked) private var width = 0
  /// The index of the row requested last: the next one most often follows it.
  @exclusivity(unchecked) private var position = 0

  init(on connection: Connection) throws {
    // Schemas of files must not call the function.
    let result = sqlite3_create_function_v2(
      connection.handle, Self.function, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY,
      Unmanaged.passUnretained(self).toOpaque(),
      { call, _, arguments in
        guard let values = sqlite3_user_data(call), let rowID = arguments?[0],
          let column = arguments?[1]
        else { return }
        Unmanaged<RowValueBuffer>.fromOpaque(values)._withUnsafeGuaranteedRef {
          $0.provideValue(call, sqlite3_value_int64(rowID), Int(sqlite3_value_int64(column)))
        }
      }, nil, nil, nil)
    guard result == SQLITE_OK else { throw connection.error(result) }
  }

  /// Runs `body`, in which the function returns the values of some rows.
  ///
  /// - Parameters:
  ///   - rows: The rows in the order of their IDs, each once.
  ///   - cells: The cells of all rows, one row after the other.
  ///   - width: The number of cells per row.
  func withRows<Result>(
    _ rows: UnsafeMutableBufferPointer<Row>, _ cells: UnsafeBufferPointer<_Cell>,
    _ arena: UnsafePointer<UInt8>?, width: Int, _ body: () throws -> Result
  ) rethrows -> Result {
    (self.rows, self.cells, self.arena, self.width) = (rows, cells, arena, width)
    position = 0
    defer {
      self.rows = UnsafeMutableBufferPointer(start: nil, count: 0)
      self.cells = UnsafeBufferPointer(start: nil, count: 0)
      self.arena = nil
    }
    return try body()
  }

  private func provideValue(_ call: OpaquePointer?, _ rowID: Int64, _ column: Int) {
    guard find(rowID), column >= 0, column < width else {
      return sqlite3_result_error(call, "There is no value for this row and column.", -1)
    }
    rows[position].isVisited = true
    let cell = cells[rows[position].index * width + column]
    switch cell.kind {
    case .null: sqlite3_result_null(call)
    case .integer: sqlite3_result_int64(call, cell.bits)
    case .real: sqlite3_result_double(call, Double(bitPattern: UInt64(bitPattern: cell.bits)))
    case .text:
      let start = arena.map { UnsafeRawPointer($0 + Int(cell.bits)) }
      // The arena stays unchanged until the statement has run, so SQLite needs no copy; a null pointer would be NULL.
      guard cell.count > 0, let start else {
        return sqlite3_result_text64(call, "", 0, Statement.transient, UInt8(SQLITE_UTF8))
      }
      sqlite3_result_text64(
        call, start.assumingMemoryBound(to: CChar.self), UInt64(cell.count), nil,
        UInt8(SQLITE_UTF8))
    case .blob:
      guard cell.count > 0 else {
        _ = sqlite3_result_zeroblob64(call, 0)
        return
      }
      sqlite3_result_blob64(call, arena.map { $0 + Int(cell.bits) }, UInt64(cell.count), nil)
    }
  }

  /// Sets ``position`` to that of a row.
  private func find(_ rowID: Int64) -> Bool {
    if position < rows.count, rows[position].rowID == rowID { return true }
    if position + 1 < rows.count, rows[position + 1].rowID == rowID {
      position += 1
      return true
    }
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].rowID < rowID { low = middle + 1 } else { high = middle }
    }
    guard low < rows.count, rows[low].rowID == rowID else { return false }
    position = low
    return true
  }
}
