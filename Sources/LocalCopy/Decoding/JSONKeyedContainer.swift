/// The members of an object.
struct JSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// The largest number of members that are searched linearly. Larger objects get a dictionary, so that decoding a
  /// dictionary from a feed takes time proportional to its size.
  private static var largestScannedObject: Int { 48 }

  private let value: JSONIndexedValue
  private let object: Int
  private let index: [JSONKeyBytes: Int]?

  init(_ value: JSONIndexedValue, _ position: Int) throws {
    let entry = value.entry(position)
    guard entry.kind == .object else { throw value.mismatch([String: Any].self, position) }
    try value.checkKeys(of: position)
    self.value = value
    object = position
    if Int(entry.end) > Self.largestScannedObject {
      let members = value.keyPositions(of: position).map {
        (JSONKeyBytes(key: value.key(at: $0)), $0 + 1)
      }
      index = Dictionary(members) { first, _ in first }
    } else {
      index = nil
    }
  }

  var codingPath: [any CodingKey] { value.codingPath(to: object) }

  var allKeys: [Key] {
    var seen: Set<String> = []
    return value.keyPositions(of: object).compactMap { position in
      let key = value.key(at: position)
      return seen.insert(key).inserted ? Key(stringValue: key) : nil
    }
  }

  /// The position of a member's value, or nil.
  @inline(__always)
  private func find(_ key: Key) -> Int? {
    if let index { return index[JSONKeyBytes(key: key.stringValue)] }
    return value.find(key.stringValue, in: object)
  }

  @inline(__always)
  private func required(_ key: Key) throws -> Int {
    if let position = find(key) { return position }
    throw DecodingError.keyNotFound(
      key,
      .init(codingPath: codingPath, debugDescription: "No member “\(key.stringValue)”."))
  }

  /// The position of a member's value if the member exists and is not null.
  @inline(__always)
  private func present(_ key: Key) -> Int? {
    guard let position = find(key), !value.isNull(position) else { return nil }
    return position
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { value.isNull(try required(key)) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try value.decode(type, at: required(key))
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try present(key).map { try value.decode(type, at: $0) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(try JSONKeyedContainer<Nested>(value, required(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try JSONUnkeyedContainer(value, required(key))
  }

  func superDecoder() -> any Decoder {
    JSONValueDecoder(value: value, position: value.find("super", in: object) ?? -1)
  }

  func superDecoder(forKey key: Key) -> any Decoder {
    JSONValueDecoder(value: value, position: find(key) ?? -1)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try value.decode(type, at: required(key))
  }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try present(key).map { try value.decode(type, at: $0) }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try value.decode(type, at: required(key))
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(key).map { try value.decode(type, at: $0) }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try value.decode(type, at: required(key))
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(key).map { try value.decode(type, at: $0) }
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try value.decode(type, at: required(key))
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try present(key).map { try value.decode(type, at: $0) }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try value.decode(integer: type, at: required(key))
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try present(key).map { try value.decode(integer: type, at: $0) }
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try value.decode(integer: type, at: required(key))
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try present(key).map { try value.decode(integer: type, at: $0) }
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try value.decode(integer: type, at: required(key))
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try present(key).map { try value.decode(integer: type, at: $0) }
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try value.decode(integer: type, at: required(key))
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try present(key).map { try value.decode(integer: type, at: $0) }
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try value.decode(integer: type, at: required(key))
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try present(key).map { try value.decode(integer: type, at: $0) }
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try value.decode(integer: type, at: required(key))
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try present(key).map { try value.decode(integer: type, at: $0) }
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try value.decode(integer: type, at: required(key))
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try present(key).map { try value.decode(integer: type, at: $0) }
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try value.decode(integer: type, at: required(key))
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try present(key).map { try value.decode(integer: type, at: $0) }
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try value.decode(integer: type, at: required(key))
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try present(key).map { try value.decode(integer: type, at: $0) }
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try value.decode(integer: type, at: required(key))
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try present(key).map { try value.decode(integer: type, at: $0) }
  }
}

/// A key that is equal only to keys with the same bytes; a `String` also equals its canonical equivalents.
private struct JSONKeyBytes: Hashable {
  let key: String

  static func == (left: Self, right: Self) -> Bool {
    left.key.utf8.elementsEqual(right.key.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var key = key
    key.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
