import Foundation

/// A value whose parts Foundation encodes in the order of their hashes, which differs between equal values.
protocol UnorderedValue {
  /// Whether values of this type are objects in JSON, whose keys an encoder can sort.
  static var isObject: Bool { get }

  /// Returns a value with the same JSON, except for the order of its parts, which is the same for equal values.
  ///
  /// - Parameter text: Encodes a list with one part: a part alone may have no text.
  func ordered(by text: (any Encodable) throws -> String) throws -> any Encodable
}

extension Set: UnorderedValue where Element: Encodable {
  static var isObject: Bool { false }

  func ordered(by text: (any Encodable) throws -> String) throws -> any Encodable {
    // The usual ones need no text of each element. A cast alone would look at each, too.
    if Element.self == String.self, let texts = self as? Set<String> {
      return texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    if Element.self == Int.self, let numbers = self as? Set<Int> { return numbers.sorted() }
    if Element.self == UUID.self, let identifiers = self as? Set<UUID> {
      return identifiers.sorted()
    }
    return try map { (part: $0, text: try text([$0])) }
      .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
      .map(\.part)
  }
}

extension Dictionary: UnorderedValue where Key: Encodable, Value: Encodable {
  /// By the rule of the standard library.
  static var isObject: Bool {
    Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
  }

  func ordered(by text: (any Encodable) throws -> String) throws -> any Encodable {
    KeysAndValues(
      pairs: try map { (pair: ($0.key, $0.value), text: try text([$0.key])) }
        .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        .map(\.pair))
  }
}

/// Keys and values in turns, as the standard library encodes a dictionary that isn't an object.
private struct KeysAndValues<Key: Encodable, Value: Encodable>: Encodable {
  let pairs: [(Key, Value)]

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for (key, value) in pairs {
      try container.encode(key)
      try container.encode(value)
    }
  }
}
