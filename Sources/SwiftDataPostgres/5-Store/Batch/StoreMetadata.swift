import Foundation
import SwiftDataCore

/// Values that toolkits keep with their data.
enum StoreMetadata {
  /// Separates the keys of users from the store's own.
  private static let prefix = "user."

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

  static func value(forKey key: String, on connection: PostgresConnection) throws -> Data? {
    let rows = try connection.run(
      "SELECT value FROM \"_metadata\" WHERE key = $1", [.text(prefix + key)])
    guard rows.rowCount > 0, !rows.isNull(0, 0) else { return nil }
    return Data(rows.bytes(0, 0))
  }
}
