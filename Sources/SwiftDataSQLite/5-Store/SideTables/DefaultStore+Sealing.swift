import SwiftDataCore
import SwiftDataSQL

/// Encrypts values that a toolkit stores in side tables and whose own columns are encrypted.
extension DefaultStore {
  private static let sealedName = "_side"

  /// Encrypts bytes with the store's key; without a key, returns them unchanged.
  package func seal(_ plain: [UInt8]) throws -> [UInt8] {
    try attributes.cipher?.seal(plain, column: Self.sealedName) ?? plain
  }

  /// - Returns: nil when the bytes weren't encrypted by ``seal(_:)`` with this store's key, or were changed.
  package func unseal(_ sealed: [UInt8]) -> [UInt8]? {
    attributes.cipher?.open(sealed, column: Self.sealedName)
  }
}
