import Foundation

/// Checks whether a thread's stack has room for the value that is about to be encoded.
///
/// An encoder calls the value's `encode(to:)`, which calls the encoder for each part, and so on through all levels of
/// the value. Only the encoder is called at every level, so the stack is measured there.
final class StackChecker {
  /// The maximum stack, in bytes, that one level takes, including the value's own code.
  private static let reserve = 64 << 10

  /// Whether the stack had no room at some level. The value's code may have caught the error.
  private(set) var isExceeded = false

  private struct Exceeded: Error {}

  /// Encodes a value with `encoder`.
  ///
  /// - Throws: The errors of the encoder; an error without a message when ``isExceeded``.
  func encode<Value: Encodable>(_ value: Value, by encoder: JSONEncoder) throws -> Data {
    let result = try Self.isPlain(value) ? encoder.encode(value) : encoder.encode(checked(value))
    if isExceeded { throw Exceeded() }
    return result
  }

  fileprivate func checked<Value: Encodable>(_ value: Value) -> StackCheckedValue<Value> {
    StackCheckedValue(value: value, checker: self)
  }

  fileprivate func check() throws {
    guard ThreadStack.room > Self.reserve else {
      isExceeded = true
      throw Exceeded()
    }
  }

  /// Whether a value has no parts, or has a representation of its own in JSON.
  fileprivate static func isPlain(_ value: some Encodable) -> Bool { value is any PlainValue }
}

/// A value that a JSON encoder encodes directly.
private protocol PlainValue {}

extension Bool: PlainValue {}
extension String: PlainValue {}
extension Int: PlainValue {}
extension Int8: PlainValue {}
extension Int16: PlainValue {}
extension Int32: PlainValue {}
extension Int64: PlainValue {}
extension Int128: PlainValue {}
extension UInt: PlainValue {}
extension UInt8: PlainValue {}
extension UInt16: PlainValue {}
extension UInt32: PlainValue {}
extension UInt64: PlainValue {}
extension UInt128: PlainValue {}
extension Float: PlainValue {}
extension Double: PlainValue {}
extension Date: PlainValue {}
extension Data: PlainValue {}
extension Decimal: PlainValue {}
extension URL: PlainValue {}

/// A value that encodes its parts with a ``StackCheckedEncoder``.
private struct StackCheckedValue<Value: Encodable>: Encodable {
  let value: Value
  let checker: StackChecker

  func encode(to encoder: any Encoder) throws {
    try checker.check()
    try value.encode(to: StackCheckedEncoder(base: encoder, checker: checker))
  }
}

/// Forwards everything to another encoder; values with parts are wrapped in ``StackCheckedValue``.
private struct StackCheckedEncoder: Encoder {
  let base: any Encoder
  let checker: StackChecker
  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed(base: base.container(keyedBy: type), checker: checker))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    Unkeyed(base: base.unkeyedContainer(), checker: checker)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    Single(base: base.singleValueContainer(), checker: checker)
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var base: KeyedEncodingContainer<Key>
    let checker: StackChecker
    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      if StackChecker.isPlain(value) {
        try base.encode(value, forKey: key)
      } else {
        try base.encode(checker.checked(value), forKey: key)
      }
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(
        StackCheckedEncoder.Keyed<Nested>(
          base: base.nestedContainer(keyedBy: type, forKey: key), checker: checker))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      Unkeyed(base: base.nestedUnkeyedContainer(forKey: key), checker: checker)
    }

    mutating func superEncoder() -> any Encoder {
      StackCheckedEncoder(base: base.superEncoder(), checker: checker)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
      StackCheckedEncoder(base: base.superEncoder(forKey: key), checker: checker)
    }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    var base: any UnkeyedEncodingContainer
    let checker: StackChecker
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int { base.count }

    mutating func encodeNil() throws { try base.encodeNil() }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
      if StackChecker.isPlain(value) {
        try base.encode(value)
      } else {
        try base.encode(checker.checked(value))
      }
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(
        Keyed<Nested>(base: base.nestedContainer(keyedBy: type), checker: checker))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      Unkeyed(base: base.nestedUnkeyedContainer(), checker: checker)
    }

    mutating func superEncoder() -> any Encoder {
      StackCheckedEncoder(base: base.superEncoder(), checker: checker)
    }
  }

  private struct Single: SingleValueEncodingContainer {
    var base: any SingleValueEncodingContainer
    let checker: StackChecker
    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil() throws { try base.encodeNil() }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
      if StackChecker.isPlain(value) {
        try base.encode(value)
      } else {
        try base.encode(checker.checked(value))
      }
    }
  }
}
