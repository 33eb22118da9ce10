import SwiftDataCore

/// Encrypts documents in the bookkeeping tables about objects with encrypted attributes: base values, changes in
/// flight, resolved conflicts and a server's outcomes.
extension ModelAccess {
  /// The first byte of a JSON document; an encrypted document starts with the number of its format.
  private static let brace = UInt8(ascii: "{")

  private func isSealed(_ entity: String) -> Bool {
    forms[entity]?.plan.properties.contains(where: \.storage.isEncrypted) ?? false
  }

  /// Returns a document in its stored form.
  ///
  /// - Parameter entity: The entity of the object that the document is about; nil when it may be any.
  func kept(_ document: [UInt8], about entity: String?) throws -> ColumnValue {
    let isSealed = entity.map(self.isSealed) ?? forms.keys.contains(where: self.isSealed)
    return .blob(isSealed ? try store.seal(document) : document)
  }

  func kept(_ document: SyncValue?, about entity: String?) throws -> ColumnValue {
    try document.map { try kept($0.json, about: entity) } ?? .null
  }

  /// Reads a stored document; returns nil for NULL.
  ///
  /// - Throws: ``SyncError/Code/damaged`` when it can't be read.
  func document(_ value: ColumnValue) throws -> SyncValue? {
    guard let bytes = value.bytes else { return nil }
    guard bytes.first != Self.brace else { return try ColumnValue.blob(bytes).json() }
    guard let opened = store.unseal(bytes) else {
      throw SyncError(
        .damaged,
        "The engine's data in the store can't be read: it was changed, or encrypted with another key"
      )
    }
    return try ColumnValue.blob(opened).json()
  }
}
