import CSQLite
import Foundation
import SwiftDataCore

extension StringFunctions {
  /// Registers the functions and collations of predicates and sorts with a connection.
  static func register(on connection: Connection) throws {
    for function in all { try register(function, on: connection) }
    for collation in collations { try register(collation, on: connection) }
    for function in IntegerFunctions.all { try register(function, on: connection) }
  }

  private static func register(_ function: IntegerFunction, on connection: Connection) throws {
    let context = Unmanaged.passRetained(Box(function)).toOpaque()
    let result = sqlite3_create_function_v2(
      connection.handle, function.name, Int32(function.argumentCount),
      SQLITE_UTF8 | SQLITE_DETERMINISTIC, context,
      { call, count, arguments in
        guard let call, let context = sqlite3_user_data(call) else { return }
        let function = Unmanaged<Box<IntegerFunction>>.fromOpaque(context).takeUnretainedValue()
        StringFunctions.answer(function.value, call, count, arguments)
      }, nil, nil, { context in StringFunctions.release(context, as: IntegerFunction.self) })
    guard result == SQLITE_OK else { throw connection.error(result) }
  }

  private static func answer(
    _ function: IntegerFunction, _ call: OpaquePointer, _ count: Int32,
    _ arguments: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    var numbers: [Int64] = []
    for index in 0..<Int(count) {
      guard let value = arguments?[index], sqlite3_value_type(value) != SQLITE_NULL else {
        return sqlite3_result_null(call)
      }
      numbers.append(sqlite3_value_int64(value))
    }
    guard let result = function.body(numbers) else {
      return sqlite3_result_error(call, IntegerFunctions.failure, -1)
    }
    sqlite3_result_int64(call, result)
  }

  private static func register(_ function: StringFunction, on connection: Connection) throws {
    let context = Unmanaged.passRetained(Box(function)).toOpaque()
    let result = sqlite3_create_function_v2(
      connection.handle, function.name, Int32(function.argumentCount),
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, context,
      { call, count, arguments in
        guard let call, let context = sqlite3_user_data(call) else { return }
        let function = Unmanaged<Box<StringFunction>>.fromOpaque(context).takeUnretainedValue()
        StringFunctions.answer(function.value, call, count, arguments)
      }, nil, nil, { context in StringFunctions.release(context, as: StringFunction.self) })
    // SQLite calls the destructor itself when the registration fails.
    guard result == SQLITE_OK else { throw connection.error(result) }
  }

  private static func answer(
    _ function: StringFunction, _ call: OpaquePointer, _ count: Int32,
    _ arguments: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    var texts: [String] = []
    for index in 0..<Int(count) {
      guard let value = arguments?[index], let bytes = sqlite3_value_text(value) else {
        return sqlite3_result_null(call)
      }
      let length = Int(sqlite3_value_bytes(value))
      texts.append(
        String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self))
    }
    switch function.body(texts) {
    case .integer(let integer): sqlite3_result_int64(call, integer)
    case .text(var text):
      text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          sqlite3_result_text64(
            call, bytes.baseAddress, UInt64(bytes.count),
            unsafeBitCast(-1, to: sqlite3_destructor_type.self), UInt8(SQLITE_UTF8))
        }
      }
    }
  }

  private static func register(_ collation: StringCollation, on connection: Connection) throws {
    let context = Unmanaged.passRetained(Box(collation)).toOpaque()
    let result = sqlite3_create_collation_v2(
      connection.handle, collation.name, SQLITE_UTF8, context,
      { context, leftCount, left, rightCount, right in
        guard let context else { return 0 }
        let collation = Unmanaged<Box<StringCollation>>.fromOpaque(context).takeUnretainedValue()
        return Int32(
          collation.value.compare(
            StringFunctions.bytes(left, leftCount), StringFunctions.bytes(right, rightCount)
          ).rawValue)
      }, { context in StringFunctions.release(context, as: StringCollation.self) })
    guard result == SQLITE_OK else {
      // Unlike for functions, on failure the caller has to release the context of a collation.
      release(context, as: StringCollation.self)
      throw connection.error(result)
    }
  }

  private static func bytes(
    _ start: UnsafeRawPointer?, _ count: Int32
  ) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: Int(count))
  }

  private static func release<Value: Sendable>(
    _ context: UnsafeMutableRawPointer?, as type: Value.Type
  ) {
    guard let context else { return }
    Unmanaged<Box<Value>>.fromOpaque(context).release()
  }

  private final class Box<Value: Sendable>: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
