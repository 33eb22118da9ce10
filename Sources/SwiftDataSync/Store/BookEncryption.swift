import SwiftData
import SwiftDataSQL

/// What the books say of objects with encrypted attributes is encrypted too: agreed values, changes on their way, conflicts
/// that were decided, and a server's answers.
extension ModelAccess {
  /// JSON begins with a brace, what is encrypted with the number of its form.
  private static let brace = UInt8(ascii: "{")

  private func isSealed(_ entity: String) -> Bool {
    forms[entity]?.plan.properties.contains(where: \.storage.isEncrypted) ?? false
  }

  /// A document as it is kept.
  ///
  /// - Parameter entity: Of the object that it is about; nil when it may be any.
  func kept(_ document: [UInt8], about entity: String?) throws -> SQLValue {
    let isSealed = entity.map(self.isSealed) ?? forms.keys.contains(where: self.isSealed)
    return .blob(isSealed ? try store.seal(document) : document)
  }

  func kept(_ document: SyncValue?, about entity: String?) throws -> SQLValue {
    try document.map { try kept($0.json, about: entity) } ?? .null
  }

  /// A document that was kept; nil for NULL.
  ///
  /// - Throws: ``SyncError/Code/damaged`` when it can't be read.
  func document(_ value: SQLValue) throws -> SyncValue? {
    guard let bytes = value.bytes else { return nil }
    guard bytes.first != Self.brace else { return try SQLValue.blob(bytes).json() }
    guard let opened = store.unseal(bytes) else {
      throw SyncError(
        .damaged,
        "What the engine keeps in the store can't be read: it was changed, or encrypted with another key"
      )
    }
    return try SQLValue.blob(opened).json()
  }
}
