import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL

struct SQLiteFailure: Error, CustomStringConvertible {
  let description: String
}

/// A minimal interface to SQLite for testing the SQL: an in-memory database with the functions and
/// collations that the SQL needs.
final class SQLiteDatabase {
  private let handle: OpaquePointer

  init() throws {
    var handle: OpaquePointer?
    guard sqlite3_open(":memory:", &handle) == SQLITE_OK, let handle else {
      throw SQLiteFailure(description: "no database")
    }
    self.handle = handle
    for function in StringFunctions.all { try register(function) }
    for collation in StringFunctions.collations { try register(collation) }
    for function in IntegerFunctions.all { try register(function) }
  }

  deinit { sqlite3_close_v2(handle) }

  private func check(_ result: CInt, _ sql: String) throws {
    guard result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW else {
      throw SQLiteFailure(description: "\(String(cString: sqlite3_errmsg(handle))) in \(sql)")
    }
  }

  func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil), sql) }

  /// Runs `sql` and returns the first `columns` columns of every row as text.
  func rows(_ sql: String, _ bindings: [SQLValue] = [], columns: Int = 1) throws -> [[String?]] {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil), sql)
    defer { sqlite3_finalize(statement) }
    for (index, value) in bindings.enumerated() {
      try check(bind(value, statement, CInt(index + 1)), sql)
    }
    var rows: [[String?]] = []
    while true {
      let result = sqlite3_step(statement)
      try check(result, sql)
      guard result == SQLITE_ROW else { return rows }
      rows.append(
        (0..<CInt(columns)).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } })
    }
  }

  private func bind(_ value: SQLValue, _ statement: OpaquePointer?, _ index: CInt) -> CInt {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let number): return sqlite3_bind_int64(statement, index, number)
    case .real(let number): return sqlite3_bind_double(statement, index, number)
    case .text(let text):
      return sqlite3_bind_text(statement, index, text, CInt(text.utf8.count), transient)
    case .blob(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
      return sqlite3_bind_blob(statement, index, bytes, CInt(bytes.count), transient)
    }
  }

  private func register(_ function: StringFunction) throws {
    let box = Unmanaged.passRetained(Box(function))
    let result = sqlite3_create_function_v2(
      handle, function.name, CInt(function.argumentCount), SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      box.toOpaque(),
      { context, count, values in
        guard let context, let values, let user = sqlite3_user_data(context) else { return }
        var texts: [String] = []
        for index in 0..<Int(count) {
          guard let text = sqlite3_value_text(values[index]) else {
            return sqlite3_result_null(context)
          }
          let length = Int(sqlite3_value_bytes(values[index]))
          texts.append(
            String(decoding: UnsafeBufferPointer(start: text, count: length), as: UTF8.self))
        }
        let function = Unmanaged<Box<StringFunction>>.fromOpaque(user).takeUnretainedValue().value
        switch function.body(texts) {
        case .integer(let number): sqlite3_result_int64(context, number)
        case .text(let text):
          sqlite3_result_text(
            context, text, CInt(text.utf8.count),
            unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
      }, nil, nil,
      { user in if let user { Unmanaged<Box<StringFunction>>.fromOpaque(user).release() } })
    try check(result, function.name)
  }

  private func register(_ function: IntegerFunction) throws {
    let box = Unmanaged.passRetained(Box(function))
    let result = sqlite3_create_function_v2(
      handle, function.name, CInt(function.argumentCount), SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      box.toOpaque(),
      { context, count, values in
        guard let context, let values, let user = sqlite3_user_data(context) else { return }
        let numbers = (0..<Int(count)).map { sqlite3_value_int64(values[$0]) }
        if (0..<Int(count)).contains(where: { sqlite3_value_type(values[$0]) == SQLITE_NULL }) {
          return sqlite3_result_null(context)
        }
        let function = Unmanaged<Box<IntegerFunction>>.fromOpaque(user).takeUnretainedValue().value
        guard let result = function.body(numbers) else {
          return sqlite3_result_error(context, IntegerFunctions.failure, -1)
        }
        sqlite3_result_int64(context, result)
      }, nil, nil,
      { user in if let user { Unmanaged<Box<IntegerFunction>>.fromOpaque(user).release() } })
    try check(result, function.name)
  }

  private func register(_ collation: StringCollation) throws {
    let box = Unmanaged.passRetained(Box(collation))
    let result = sqlite3_create_collation_v2(
      handle, collation.name, SQLITE_UTF8, box.toOpaque(),
      { user, leftCount, left, rightCount, right in
        guard let user else { return 0 }
        let first = String(
          decoding: UnsafeRawBufferPointer(start: left, count: Int(leftCount)), as: UTF8.self)
        let second = String(
          decoding: UnsafeRawBufferPointer(start: right, count: Int(rightCount)), as: UTF8.self)
        let collation = Unmanaged<Box<StringCollation>>.fromOpaque(user).takeUnretainedValue().value
        return CInt(collation.compare(first, second).rawValue)
      }, { user in if let user { Unmanaged<Box<StringCollation>>.fromOpaque(user).release() } })
    try check(result, collation.name)
  }

  private final class Box<Value> {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
