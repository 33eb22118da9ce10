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
