/// The elements of an array, in order.
struct JSONUnkeyedContainer: UnkeyedDecodingContainer {
  private let value: JSONIndexedValue
  private let array: Int
  private let total: Int
  private var position: Int
  private(set) var currentIndex = 0

  init(_ value: JSONIndexedValue, _ position: Int) throws {
    let entry = value.entry(position)
    guard entry.kind == .array else { throw value.mismatch([Any].self, position) }
    self.value = value
    array = position
    total = Int(entry.end)
    self.position = position + 1
  }

  var codingPath: [any CodingKey] { value.codingPath(to: array) }
  var count: Int? { total }
  var isAtEnd: Bool { currentIndex >= total }

  /// The position of the next element.
  @inline(__always)
  private func current<T>(_ type: T.Type) throws -> Int {
    guard currentIndex < total else {
      throw DecodingError.valueNotFound(
        type,
        .init(
          codingPath: codingPath + [JSONKey(index: currentIndex)],
          debugDescription: "The array has only \(total) elements."))
    }
    return position
  }

  @inline(__always)
  private mutating func advance() {
    position = Int(value.entry(position).next)
    currentIndex += 1
  }

  mutating func decodeNil() throws -> Bool {
    guard value.isNull(try current(Never.self)) else { return false }
    advance()
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let result = try value.decode(type, at: current(type))
    advance()
    return result
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try JSONKeyedContainer<Nested>(value, current([String: Any].self))
    advance()
    return KeyedDecodingContainer(container)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try JSONUnkeyedContainer(value, current([Any].self))
    advance()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = JSONValueDecoder(value: value, position: try current((any Decoder).self))
    advance()
    return decoder
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    let result = try value.decode(type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: String.Type) throws -> String {
    let result = try value.decode(type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    let result = try value.decode(type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    let result = try value.decode(type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: Int.Type) throws -> Int {
    let result = try value.decode(integer: type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: Int8.Type) throws -> Int8 {
    let result = try value.decode(integer: type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: Int16.Type) throws -> Int16 {
    let result = try value.decode(integer: type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: Int32.Type) throws -> Int32 {
    let result = try value.decode(integer: type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: Int64.Type) throws -> Int64 {
    let result = try value.decode(integer: type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: UInt.Type) throws -> UInt {
    let result = try value.decode(integer: type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    let result = try value.decode(integer: type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
    let result = try value.decode(integer: type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
    let result = try value.decode(integer: type, at: current(type))
    advance()
    return result
  }

  mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
    let result = try value.decode(integer: type, at: current(type))
    advance()
    return result
  }
}
