import Foundation

extension CompositeShape {
  /// Reads the member columns and lets the structure decode itself from them.
  func decode<Value: Decodable>(_ type: Value.Type, from reader: inout _RowReader) throws -> Value {
    let start = reader.column
    guard start + columns.count <= reader.cells.count else { throw reader.rowTooShort() }
    let wrapped = (type as? any OptionalType.Type)?.wrappedType as? any Decodable.Type
    let decoder = CompositeDecoder(shape: self, reader: reader, start: start)
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
  /// The keys that lead to the structure being decoded; empty for the outermost one.
  var path: [String] = []
  /// The text in front of its members' names in ``CompositeShape/indices``.
  var prefix = ""
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

  /// The decoder of the structure that is the member called `key`.
  func member(_ key: String) -> CompositeDecoder {
    var member = self
    member.path.append(key)
    member.prefix = prefix + key + "."
    return member
  }

  /// The columns of the structure being decoded, of its members' members too.
  var columns: [CompositeShape.Column] {
    shape.columns.filter { $0.path.count > path.count && $0.path.starts(with: path) }
  }

  private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: CompositeDecoder
    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
      var names: [String] = []
      for column in decoder.columns {
        let name = column.path[decoder.path.count]
        if !names.contains(name) { names.append(name) }
      }
      return names.compactMap { Key(stringValue: $0) }.filter(contains)
    }

    func name(_ key: Key) -> String {
      decoder.prefix.isEmpty ? key.stringValue : decoder.prefix + key.stringValue
    }

    /// Whether there is a value: members without one, which `encodeIfPresent` leaves out, are NULL.
    func contains(_ key: Key) -> Bool {
      if let reader = decoder.reader(at: name(key)) { return !reader.isNextNull }
      return !decoder.member(key.stringValue).columns.isEmpty
    }

    func decodeNil(forKey key: Key) throws -> Bool {
      decoder.reader(at: name(key))?.isNextNull ?? false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      guard var reader = decoder.reader(at: name(key)) else {
        return try type.init(from: decoder.member(key.stringValue))
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
      guard contains(key), try !decodeNil(forKey: key) else { return nil }
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
