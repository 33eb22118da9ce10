import Foundation
import SwiftDataCore

/// Values that toolkits keep with their data.
enum StoreMetadata {
  /// Separates the keys of users from the store's own.
  static let prefix = "user."

  static func set(_ value: Data?, forKey key: String, on connection: PostgresConnection) throws {
    guard let value else {
      try connection.run("DELETE FROM \"_metadata\" WHERE key = $1", [.text(prefix + key)])
      return
    }
    try connection.run(
      "INSERT INTO \"_metadata\" (key, kind, value) VALUES ($1, 1, $2)"
        + " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      [.text(prefix + key), .blob([UInt8](value))])
  }

  /// Deletes the records of copies, and the values that belong to copies, with the rows that they describe.
  static func deleteCopyRecords(on connection: PostgresConnection) throws {
    let values = prefix + CopyRecords.valuePrefix
    try connection.run(
      "DELETE FROM \"_metadata\" WHERE key IN (SELECT '\(prefix)' || substr(key, \(values.count + 1))"
        + " FROM \"_metadata\" WHERE key >= $1 AND key < $2)",
      [.text(values), .text(prefix + CopyRecords.valueEnd)])
    try connection.run(
      "DELETE FROM \"_metadata\" WHERE key >= $1 AND key < $2",
      [.text(prefix + CopyRecords.keyPrefix), .text(prefix + CopyRecords.keyEnd)])
  }

  /// Locks a row until the transaction ends, for transactions that exclude each other.
  ///
  /// - Throws: ``StoreError/Code/busy`` when another transaction keeps it for ten seconds.
  static func lockBatches(_ connection: PostgresConnection) throws {
    try connection.execute("SET LOCAL lock_timeout = 10000")
    try connection.run(
      "INSERT INTO \"_metadata\" (key, kind, value) VALUES ('batches', 0, '')"
        + " ON CONFLICT (key) DO UPDATE SET value = excluded.value")
    try connection.execute("SET LOCAL lock_timeout = 0")
  }

  /// Values by the bytes of their keys, from a key on that isn't included; nil begins with the first.
  static func values(
    after key: String?, limit: Int, on connection: PostgresConnection
  ) throws -> [(key: String, value: [UInt8])] {
    // The character after the full stop is the slash. A value is as large as one row of any table.
    let rows = try connection.run(
      "SELECT key, value FROM \"_metadata\""
        + " WHERE key \(key == nil ? ">=" : ">") $1 AND key < 'user/'"
        + " AND value IS NOT NULL ORDER BY key LIMIT $2",
      [.text(prefix + (key ?? "")), .integer(Int64(limit))])
    return (0..<rows.rowCount).map { row in
      (String((rows.text(row, 0) ?? "").dropFirst(prefix.count)), Array(rows.bytes(row, 1)))
    }
  }

  static func value(forKey key: String, on connection: PostgresConnection) throws -> Data? {
    let rows = try connection.run(
      "SELECT value FROM \"_metadata\" WHERE key = $1", [.text(prefix + key)])
    guard rows.rowCount > 0, !rows.isNull(0, 0) else { return nil }
    return Data(rows.bytes(0, 0))
  }
}
