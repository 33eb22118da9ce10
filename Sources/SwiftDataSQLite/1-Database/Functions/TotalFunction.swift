import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The aggregate function of sums, which adds as contexts do in memory
/// (https://sqlite.org/appfunc.html#the_aggregate_function_callbacks).
enum TotalFunction {
  private final class Sum {
    var total = _NumberTotal()
  }

  static func register(on connection: Connection) throws {
    let result = sqlite3_create_function_v2(
      connection.handle, SQLiteDialect.totalFunction, 1,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, nil,
      { call, _, arguments in
        guard let value = arguments?.pointee, sqlite3_value_type(value) != SQLITE_NULL,
          let sum = TotalFunction.sum(of: call, isNew: true)
        else { return }
        TotalFunction.add(value, to: sum)
      },
      { call in
        let sum = TotalFunction.sum(of: call, isNew: false)
        var text = (sum?.total ?? _NumberTotal()).encoded
        TotalFunction.release(call)
        text.withUTF8 { bytes in
          bytes.withMemoryRebound(to: CChar.self) { bytes in
            sqlite3_result_text64(
              call, bytes.baseAddress, UInt64(bytes.count),
              unsafeBitCast(-1, to: sqlite3_destructor_type.self), UInt8(SQLITE_UTF8))
          }
        }
      }, nil)
    guard result == SQLITE_OK else { throw connection.error(result) }
  }

  private static func add(_ value: OpaquePointer, to sum: Sum) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: sum.total.add(sqlite3_value_int64(value))
    case SQLITE_FLOAT: sum.total.add(sqlite3_value_double(value))
    case SQLITE_BLOB:
      guard sqlite3_value_bytes(value) == 8, let bytes = sqlite3_value_blob(value) else { return }
      sum.total.add(UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    default:
      guard let bytes = sqlite3_value_text(value) else { return }
      // NaN is stored as text, as are decimal numbers.
      if let number = Decimal(string: String(cString: bytes)) {
        sum.total.add(number)
      } else {
        sum.total.addNaN()
      }
    }
  }

  /// The sum of one use of the function; SQLite provides memory for its address.
  private static func sum(of call: OpaquePointer?, isNew: Bool) -> Sum? {
    let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
    guard let place = sqlite3_aggregate_context(call, isNew ? size : 0) else { return nil }
    let slot = place.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    if let address = slot.pointee {
      return Unmanaged<Sum>.fromOpaque(address).takeUnretainedValue()
    }
    guard isNew else { return nil }
    let sum = Sum()
    slot.pointee = Unmanaged.passRetained(sum).toOpaque()
    return sum
  }

  private static func release(_ call: OpaquePointer?) {
    guard let place = sqlite3_aggregate_context(call, 0) else { return }
    let slot = place.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    if let address = slot.pointee { Unmanaged<Sum>.fromOpaque(address).release() }
    slot.pointee = nil
  }
}
