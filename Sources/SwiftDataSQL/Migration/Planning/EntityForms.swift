import SwiftDataCore
import SystemCrypto

/// The forms of a schema's entities. A store keeps them, to recognize the schema that its tables were made for.
package struct EntityForms: Sendable {
  /// The fingerprint of each entity.
  package let texts: [String: String]
  /// The fingerprints by earlier versions of the library, of entities where they differ.
  private let formerTexts: [String: String]

  package init(_ description: SchemaDescription) {
    texts = description.entities.mapValues(\.fingerprint)
    formerTexts = description.entities.compactMapValues(\.formerFingerprint)
  }

  init(_ texts: [String: String], former: [String: String] = [:]) {
    self.texts = texts
    formerTexts = former
  }

  /// The forms of no entity, which fit all stores.
  package static let none = EntityForms([:])

  /// Whether a text is the fingerprint of an entity, by this version of the library or an earlier one.
  func isForm(_ text: String, of entity: String) -> Bool {
    texts[entity] == text || formerTexts[entity] == text
  }

  /// The first 16 bytes of the SHA-256 of each text, in hexadecimal digits.
  ///
  /// Computed at each use, which the opening of a store avoids: the first digest of a process takes libcrypto about a
  /// millisecond.
  package var hashes: [String: String] { texts.mapValues(Self.hash) }

  /// The hashes of each entity's fingerprints, by this version of the library and by earlier ones.
  package var allHashes: [String: Set<String>] {
    var result = texts.mapValues { Set([Self.hash(of: $0)]) }
    for (name, text) in formerTexts { result[name, default: []].insert(Self.hash(of: text)) }
    return result
  }

  private static func hash(of text: String) -> String {
    SHA256Digest.bytes(of: text.utf8).prefix(16).hexadecimalText
  }
}
