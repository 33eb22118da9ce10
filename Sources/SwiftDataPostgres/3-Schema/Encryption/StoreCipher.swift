import SwiftDataCore
import SwiftDataSQL

/// The encryption of a store's attributes.
struct StoreCipher: StoredAttributes {
  private static let checkKey = "encryptionCheck"

  /// nil without a key.
  let cipher: ColumnCipher?
  private let rows: [ObjectIdentifier: RowCipher]

  /// - Parameter address: The store, for errors.
  /// - Throws: ``StoreError/Code/missingKey`` when an attribute is encrypted and there is no key.
  init(_ plans: [EntityPlan], key: EncryptionKey?, address: String) throws {
    let encrypted = plans.lazy.flatMap { plan in
      plan.properties.lazy.filter(\.storage.isEncrypted).map { "\(plan.name).\($0.name)" }
    }
    if key == nil, let first = encrypted.first {
      throw StoreError(
        .missingKey, path: address,
        explanation: "\(first) is encrypted, and the configuration has no encryptionKey; set it")
    }
    let cipher = key.map(ColumnCipher.init)
    self.cipher = cipher
    rows = Dictionary(
      plans.compactMap { plan in
        RowCipher(plan, cipher).map { (ObjectIdentifier(plan.type), $0) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The cipher of an entity's rows; nil when no column is encrypted.
  subscript(plan: EntityPlan) -> RowCipher? { rows[ObjectIdentifier(plan.type)] }

  func encrypt(_ row: inout _RowWriter, columns positions: [Int], of plan: EntityPlan) throws {
    try self[plan]?.seal(&row, columns: positions)
  }

  /// Compares the key with the one that the store's first attributes were encrypted with.
  ///
  /// - Throws: ``StoreError/Code/wrongKey``.
  func check(
    _ connection: PostgresConnection, identifier: String, isReadOnly: Bool
  ) throws {
    guard let cipher, !rows.isEmpty else { return }
    let value = cipher.checkValue(of: identifier)
    let stored = try connection.transaction(isReadOnly ? .reading : .writing) {
      if !isReadOnly {
        try connection.run(
          "INSERT INTO \"_metadata\" (key, kind, value) VALUES ($1, 0, $2)"
            + " ON CONFLICT DO NOTHING", [.text(Self.checkKey), .blob(Array(value.utf8))])
      }
      return try connection.run(
        "SELECT convert_from(value, 'UTF8') FROM \"_metadata\" WHERE key = $1",
        [.text(Self.checkKey)])
    }
    guard stored.rowCount == 1, stored.text(0, 0) == value else {
      throw StoreError(
        .wrongKey, path: connection.address,
        explanation:
          "its encrypted attributes were written with another key than the configuration's;"
          + " open it with that one")
    }
  }
}
