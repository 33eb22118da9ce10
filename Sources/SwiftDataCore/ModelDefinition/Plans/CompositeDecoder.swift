import Foundation

extension CompositeShape {
  /// Reads the member columns and lets the structure decode itself from them.
  func decode<Value: Decodable>(_ type: Value.Type, from reader: inout _RowReader) throws -> Value {
    let start = reader.column
    guard start + columns.count <= reader.cells.count else { throw reader.rowTooShort() }
    let wrapped = (type as? any OptionalType.Type)?.wrappedType as? any Decodable.Type
    let decoder = CompositeDecoder(shape: self, reader: reader, start: start, path: "")
    let decoded: Any = try wrapped?.init(from: decoder) ?? type.init(from: decoder)
    reader.column = start + columns.count
    guard let value = decoded as? Value else { throw UnsuitableForColumns() }
    return value
  }
}

private struct CompositeDecoder: Decoder {
  let shape: CompositeShape
  let reader: _RowReader
  let start: Int
  let path: String
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Members<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw UnsuitableForColumns() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw UnsuitableForColumns()
  }

  /// A reader positioned at the column of the member called `name`; nil when there is no such
  /// column.
  func reader(at name: String) -> _RowReader? {
    guard let index = shape.indices[name] else { return nil }
    var reader = reader
    reader.column = start + index
    return reader
  }

  private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: CompositeDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] {
      decoder.shape.columns.compactMap { column in
        let name = column.path.joined(separator: ".")
        guard name.hasPrefix(decoder.path) else { return nil }
        return Key(
          stringValue: String(name.dropFirst(decoder.path.isEmpty ? 0 : decoder.path.count + 1)))
      }
    }

    func name(_ key: Key) -> String {
      decoder.path.isEmpty ? key.stringValue : decoder.path + "." + key.stringValue
    }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool {
      decoder.reader(at: name(key))?.isNextNull ?? false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let name = name(key)
      guard var reader = decoder.reader(at: name) else {
        return try type.init(
          from: CompositeDecoder(
            shape: decoder.shape, reader: decoder.reader, start: decoder.start, path: name))
      }
      if let column = type as? any _ColumnValue.Type,
        let value = try column._decode(from: &reader) as? Value
      {
        return value
      }
      if let raw = type as? any RawRepresentable.Type,
        let value = try Self.raw(raw, from: &reader) as? Value
      {
        return value
      }
      throw reader.noCase(type, "an unknown raw value")
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
      if try decodeNil(forKey: key) { return nil }
      return try decode(type, forKey: key)
    }

    private static func raw<Raw: RawRepresentable>(
      _ type: Raw.Type, from reader: inout _RowReader
    ) throws -> Any? {
      guard let column = Raw.RawValue.self as? any _ColumnValue.Type,
        let value = try column._decode(from: &reader) as? Raw.RawValue
      else { return nil }
      return Raw(rawValue: value)
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw UnsuitableForColumns() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw UnsuitableForColumns()
    }
    func superDecoder() throws -> any Decoder { throw UnsuitableForColumns() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw UnsuitableForColumns() }
  }
}
