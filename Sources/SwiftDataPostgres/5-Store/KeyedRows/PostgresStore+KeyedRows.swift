import Foundation
import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: KeyedRowStore {
  private static let sealedName = "_side"

  package var allowsSave: Bool { configuration.allowsSave }

  /// A server's store has no files beside it.
  package var supportFolder: URL? { nil }

  package func externalFile(named name: String) -> URL? { nil }

  package func keepsPlainRows(of plan: EntityPlan) -> Bool { cipher[plan] == nil }

  /// Encrypts bytes with the store's key; without a key, returns them unchanged.
  package func seal(_ plain: [UInt8]) throws -> [UInt8] {
    cipher.cipher?.seal(plain, column: Self.sealedName) ?? plain
  }

  /// - Returns: nil when the bytes weren't encrypted by ``seal(_:)`` with this store's key, or were changed.
  package func unseal(_ sealed: [UInt8]) -> [UInt8]? {
    cipher.cipher?.open(sealed, column: Self.sealedName)
  }

  package func readRows<Result>(
    _ body: (any RowReadTransaction) throws -> Result
  ) throws -> Result {
    try withConnection { connection in
      try connection.transaction(.reading) {
        try body(PostgresRowTransaction(connection: connection, store: self))
      }
    }
  }

  package func writeSideTables<Result>(
    _ body: (any RowWriteTransaction) throws -> Result
  ) throws -> Result {
    try write(author: nil, body)
  }

  package func writeRows<Result>(
    author: String, _ body: (any RowWriteTransaction) throws -> Result
  ) throws -> Result {
    try write(author: author, body)
  }

  private func write<Result>(
    author: String?, _ body: (any RowWriteTransaction) throws -> Result
  ) throws -> Result {
    try withoutActuallyEscaping(body) { body in
      try writeAndPost(author: author, excludesOthers: true) { connection, recording in
        try body(
          PostgresRowTransaction(connection: connection, store: self, recording: recording))
      }
    }
  }
}

extension PostgresRowTransaction: RowWriteTransaction {
  func lastTransaction() throws -> Int64 {
    try run("SELECT number FROM \"_store\" WHERE id = 1").integer(0, 0) ?? 0
  }

  func metadata(after key: String?, limit: Int) throws -> [(key: String, value: [UInt8])] {
    try StoreMetadata.values(after: key, limit: limit, on: connection)
  }

  func history(after number: Int64, isOnlyBy author: String) throws -> Bool {
    let result = try connection.run(
      """
      SELECT 1 FROM "_store" WHERE id = 1 AND deleted <= $1 AND number >= $1 AND NOT EXISTS
        (SELECT 1 FROM "_history_transaction" AS t
          WHERE t.number > $1 AND t.author IS DISTINCT FROM $2)
      """, [.integer(number), .text(author)])
    return result.rowCount > 0
  }
}
