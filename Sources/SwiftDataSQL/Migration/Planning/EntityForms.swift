import SwiftDataCore
import SystemCrypto

/// The forms of a schema's entities. A store keeps them, to recognize the schema that its tables were made for.
package struct EntityForms: Sendable {
  /// The fingerprint of each entity.
  package let texts: [String: String]

  package init(_ description: SchemaDescription) {
    self.init(description.entities.mapValues(\.fingerprint))
  }

  init(_ texts: [String: String]) { self.texts = texts }

  /// The forms of no entity, which fit all stores.
  package static let none = EntityForms([:])

  /// The first 16 bytes of the SHA-256 of each text, in hexadecimal digits.
  ///
  /// Computed at each use, which the opening of a store avoids: the first digest of a process takes libcrypto about a
  /// millisecond.
  package var hashes: [String: String] {
    texts.mapValues { SHA256Digest.bytes(of: $0.utf8).prefix(16).hexadecimalText }
  }
}
