import SwiftDataCore
import SwiftDataSQL

/// What a toolkit keeps in side tables of values whose own columns are encrypted.
extension DefaultStore {
  private static let sealedName = "_side"

  /// Encrypts bytes with the store's key; those of a store without one stay as they are.
  package func seal(_ plain: [UInt8]) throws -> [UInt8] {
    try attributes.cipher?.seal(plain, column: Self.sealedName) ?? plain
  }

  /// - Returns: nil when the bytes weren't made by ``seal(_:)`` with this store's key, or were changed.
  package func unseal(_ sealed: [UInt8]) -> [UInt8]? {
    attributes.cipher?.open(sealed, column: Self.sealedName)
  }
}
