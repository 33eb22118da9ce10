import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// The consumers of a store's history: a row of `_metadata` each, under a key with the name. The value is a JSON object
/// with the number of the last transaction read (`number`) and two times in seconds since the reference date.
enum HistoryConsumers {
  static let prefix = "history.consumer."

  /// Ends with the character after the full stop: all keys with the prefix sort before it.
  private static let condition = "key >= 'history.consumer.' AND key < 'history.consumer/'"

  /// The number up to which all consumers have read; nil without consumers.
  static func lowest(on connection: Connection) throws -> Int64? {
    let statement = try connection.statement(
      // A damaged entry must not prevent saves; reading the consumer reports it.
      "SELECT min(CAST(json_extract(value, '$.number') AS INTEGER)) FROM \"_metadata\""
        + " WHERE \(condition) AND json_valid(value)")
    defer { statement.reset() }
    guard try statement.step(), let cell = statement.row(from: 0).first, cell.kind == .integer
    else {
      return nil
    }
    return cell.bits
  }

  static func all(on connection: Connection) throws -> [StoredHistoryConsumer] {
    let mark = try HistoryTables.mark(on: connection)
    let statement = try connection.statement(
      "SELECT key, value FROM \"_metadata\" WHERE \(condition) ORDER BY key")
    defer { statement.reset() }
    var consumers: [StoredHistoryConsumer] = []
    while try statement.step() {
      let name = String(statement.string(at: 0).dropFirst(prefix.count))
      let place = try ConsumerPosition(
        statement.string(at: 1), of: name, path: connection.path)
      consumers.append(place.consumer(name, mark: mark))
    }
    return consumers
  }

  /// Changes a consumer inside a transaction.
  ///
  /// - Returns: The consumer after the change; nil when it doesn't exist or was removed.
  static func apply(
    _ change: HistoryConsumerChange, to name: String, on connection: Connection
  ) throws -> StoredHistoryConsumer? {
    let last = try HistoryTables.last(on: connection).number
    var place: ConsumerPosition
    switch change {
    case .register(let number):
      let known = try position(of: name, on: connection)
      place = .registering(at: number, known: known, last: last)
    case .acknowledge(let number):
      guard let known = try position(of: name, on: connection) else { return nil }
      place = known
      place.acknowledge(number, last: last)
    case .remove:
      // The entry isn't read first: a damaged entry must be removable.
      let statement = try connection.statement("DELETE FROM \"_metadata\" WHERE key = ?")
      try statement.bind([.text(prefix + name)])
      try statement.run()
      return nil
    }
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO \"_metadata\" (key, value) VALUES (?, ?)")
    try statement.bind([.text(prefix + name), .text(try place.text)])
    try statement.run()
    return place.consumer(name, mark: try HistoryTables.mark(on: connection))
  }

  private static func position(
    of name: String, on connection: Connection
  ) throws -> ConsumerPosition? {
    let statement = try connection.statement("SELECT value FROM \"_metadata\" WHERE key = ?")
    defer { statement.reset() }
    try statement.bind([.text(prefix + name)])
    guard try statement.step() else { return nil }
    return try ConsumerPosition(statement.string(at: 0), of: name, path: connection.path)
  }
}
