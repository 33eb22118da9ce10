import CSwiftRuntime
import Foundation

/// The decoder of the value at a position; small enough to be passed without an allocation.
struct JSONValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONIndexedValue
  let position: Int

  var codingPath: [any CodingKey] { value.codingPath(to: position) }
  var userInfo: [CodingUserInfoKey: Any] { value.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try JSONKeyedContainer<Key>(value, position))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try JSONUnkeyedContainer(value, position)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value.isNull(position) }
  func decode(_ type: Bool.Type) throws -> Bool { try value.decode(type, at: position) }
  func decode(_ type: String.Type) throws -> String { try value.decode(type, at: position) }
  func decode(_ type: Double.Type) throws -> Double { try value.decode(type, at: position) }
  func decode(_ type: Float.Type) throws -> Float { try value.decode(type, at: position) }
  func decode(_ type: Int.Type) throws -> Int { try value.decode(integer: type, at: position) }
  func decode(_ type: Int8.Type) throws -> Int8 { try value.decode(integer: type, at: position) }
  func decode(_ type: Int16.Type) throws -> Int16 { try value.decode(integer: type, at: position) }
  func decode(_ type: Int32.Type) throws -> Int32 { try value.decode(integer: type, at: position) }
  func decode(_ type: Int64.Type) throws -> Int64 { try value.decode(integer: type, at: position) }
  func decode(_ type: UInt.Type) throws -> UInt { try value.decode(integer: type, at: position) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try value.decode(integer: type, at: position) }
  func decode(_ type: UInt16.Type) throws -> UInt16 {
    try value.decode(integer: type, at: position)
  }
  func decode(_ type: UInt32.Type) throws -> UInt32 {
    try value.decode(integer: type, at: position)
  }
  func decode(_ type: UInt64.Type) throws -> UInt64 {
    try value.decode(integer: type, at: position)
  }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try value.decode(type, at: position) }
}

extension JSONIndexedValue {
  /// The maximum stack space that decoding one value takes, before the next value inside it is
  /// decoded.
  private static var reserve: Int { 64 << 10 }

  /// Decodes any type: Foundation types with their own JSON form specially, other types through
  /// their `init(from:)`.
  @inline(__always)
  func decode<T: Decodable>(_ type: T.Type, at position: Int) throws -> T {
    if let special = try decodeSpecial(type, at: position) { return special }
    // A type may contain values of its own type, nested as deeply as the limits allow for the
    // document.
    guard swift_data_stack_room() > Self.reserve else { throw tooDeep(position) }
    return try T(from: JSONValueDecoder(value: self, position: position))
  }

  private func tooDeep(_ position: Int) -> DecodingError {
    let path = codingPath(to: position)
    return DecodingError.dataCorrupted(
      .init(
        codingPath: path,
        debugDescription:
          "The value lies \(path.count) levels deep, for which the stack of this thread has"
          + " no room. Lower the depth limit, or read the feed on a thread with a larger stack."))
  }

  /// Returns nil for types that decode themselves. The types are compared before the cast because
  /// the cast costs more.
  @inline(__always)
  private func decodeSpecial<T>(_ type: T.Type, at position: Int) throws -> T? {
    if type == Date.self { return try decode(Date.self, at: position) as? T }
    if type == URL.self { return try decode(URL.self, at: position) as? T }
    if type == Data.self { return try decode(Data.self, at: position) as? T }
    if type == Decimal.self { return try decode(Decimal.self, at: position) as? T }
    if type == [Double].self { return try decodeDoubles(at: position) as? T }
    return nil
  }

  /// Decodes an array of doubles, such as coordinates, without a container.
  private func decodeDoubles(at position: Int) throws -> [Double] {
    let array = entry(position)
    guard array.kind == .array else { throw mismatch([Double].self, position) }
    var result: [Double] = []
    result.reserveCapacity(Int(array.end))
    var element = position + 1
    for _ in 0..<Int(array.end) {
      result.append(try decode(Double.self, at: element))
      element = Int(entry(element).next)
    }
    return result
  }
}
