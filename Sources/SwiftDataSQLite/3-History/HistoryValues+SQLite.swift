import CSQLite
import SwiftDataCore
import SwiftDataStore

extension HistoryValues {
  mutating func append(_ value: OpaquePointer?) {
    let type = value.map { sqlite3_value_type($0) } ?? SQLITE_NULL
    bytes.append(UInt8(truncatingIfNeeded: type))
    switch type {
    case SQLITE_INTEGER: bytes.append(signed: sqlite3_value_int64(value))
    case SQLITE_FLOAT:
      bytes.append(variable: sqlite3_value_double(value).bitPattern)
    case SQLITE_TEXT, SQLITE_BLOB:
      // The bytes are requested before the count, as SQLite requires.
      let start =
        type == SQLITE_TEXT
        ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
      let content = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
      bytes.append(variable: UInt64(content.count))
      bytes += content
    default: break
    }
  }
}
