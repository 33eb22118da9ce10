import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL

enum StoreMetadata {
  /// Separates the keys of users from the store's own.
  static let prefix = "user."

  static func set(_ value: Data?, forKey key: String, on connection: Connection) throws {
    let statement = try connection.statement(
      value == nil
        ? "DELETE FROM \"_metadata\" WHERE key = ?"
        : "INSERT OR REPLACE INTO \"_metadata\" (key, value) VALUES (?, ?)")
    try statement.bind(.text(prefix + key), at: 1)
    if let value { try statement.bind(.blob([UInt8](value)), at: 2) }
    try statement.run()
  }

  /// Deletes the records of copies, and the values that belong to copies, with the rows that they describe.
  static func deleteCopyRecords(on connection: Connection) throws {
    let values = prefix + CopyRecords.valuePrefix
    let ofCopies = try connection.statement(
      "DELETE FROM \"_metadata\" WHERE key IN (SELECT '\(prefix)' || substr(key, \(values.count + 1))"
        + " FROM \"_metadata\" WHERE key >= ? AND key < ?)")
    try ofCopies.bind(.text(values), at: 1)
    try ofCopies.bind(.text(prefix + CopyRecords.valueEnd), at: 2)
    try ofCopies.run()
    let statement = try connection.statement(
      "DELETE FROM \"_metadata\" WHERE key >= ? AND key < ?")
    try statement.bind(.text(prefix + CopyRecords.keyPrefix), at: 1)
    try statement.bind(.text(prefix + CopyRecords.keyEnd), at: 2)
    try statement.run()
  }

  /// Values by the bytes of their keys, from a key on that isn't included; nil begins with the first.
  static func values(
    after key: String?, limit: Int, on connection: Connection
  ) throws -> [(key: String, value: [UInt8])] {
    // The character after the full stop is the slash.
    let statement = try connection.statement(
      "SELECT key, CAST(value AS BLOB) FROM \"_metadata\""
        + " WHERE key \(key == nil ? ">=" : ">") ? AND key < 'user/'"
        + " AND value IS NOT NULL ORDER BY key LIMIT ?")
    try statement.bind(.text(prefix + (key ?? "")), at: 1)
    try statement.bind(.integer(Int64(limit)), at: 2)
    var values: [(key: String, value: [UInt8])] = []
    try statement.forEachRow { cells in
      guard case .text(let key) = ColumnValue(cells[0]),
        case .blob(let value) = ColumnValue(cells[1])
      else { return }
      values.append((String(key.dropFirst(prefix.count)), value))
    }
    return values
  }
}

extension ModelContainer {
  /// The value last committed under `key` with ``BatchUpsert/setMetadata(_:forKey:)``, from the first store
  /// that has one.
  public func storeMetadata(forKey key: String) throws -> Data? {
    for case let store as any BatchWriting in core.stores {
      if let value = try store.metadata(forKey: key) { return value }
    }
    return nil
  }
}

extension DefaultStore {
  package func metadata(forKey key: String) throws -> Data? {
    try withReader { connection in
      let statement = try connection.statement("SELECT value FROM \"_metadata\" WHERE key = ?")
      defer { statement.reset() }
      try statement.bind([.text(StoreMetadata.prefix + key)])
      guard try statement.step(), let cell = statement.row(from: 0).first, cell.kind == .blob else {
        return nil
      }
      return cell.count == 0
        ? Data()
        : UnsafePointer<UInt8>(bitPattern: Int(cell.bits)).map {
          Data(bytes: $0, count: cell.count)
        }
    }
  }
}
