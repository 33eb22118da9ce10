import Foundation

extension CompositeShape {
  /// Appends the member columns of `value` in the order of ``columns``.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` for a value that writes what has no column, and the errors of
  ///   the value's own code.
  func encode<Value: Encodable>(_ value: Value, into writer: inout _RowWriter) throws {
    let members = CompositeMembers(shape: self, of: writer)
    do {
      try value.encode(to: CompositeEncoder(members: members))
    } catch is UnsuitableForColumns {
      throw SwiftDataError.modelValidationFailure.explained(
        "\(members.name) has a value that doesn't fit its columns: encode(to:) of \(Value.self)"
          + " writes a key that init(from:) doesn't read, or reads with try? as what can't be a column."
          + " Let both use the same keys, or make it one column of JSON with @Attribute(.codable).")
    }
    for member in members.values {
      if let member { member._encode(into: &writer) } else { writer.appendNull() }
    }
  }
}

/// The members of a composite, by position, while it encodes itself.
private final class CompositeMembers {
  let shape: CompositeShape
  var values: [(any _ColumnValue)?]

  /// The entity and the property, for errors.
  let name: String

  init(shape: CompositeShape, of writer: _RowWriter? = nil) {
    self.shape = shape
    name = writer?.propertyName ?? "?"
    values = Array(repeating: nil, count: shape.columns.count)
  }
}

private struct CompositeEncoder: Encoder {
  let members: CompositeMembers
  /// The text in front of the names in ``CompositeShape/indices`` of the structure being encoded; empty for the
  /// outermost one.
  var prefix = ""
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Members<Key>(encoder: self))
  }

  /// The encoder of the structure that is the member called `key`.
  func member(_ key: String) -> CompositeEncoder {
    CompositeEncoder(members: members, prefix: prefix + key + ".")
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { RefusingContainer() }

  private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: CompositeEncoder
    var members: CompositeMembers { encoder.members }
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws {}

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      let name = encoder.prefix.isEmpty ? key.stringValue : encoder.prefix + key.stringValue
      if let index = members.shape.indices[name] {
        members.values[index] = try columnValue(of: value)
      } else {
        try value.encode(to: encoder.member(key.stringValue))
      }
    }

    private func columnValue<Value>(of value: Value) throws -> any _ColumnValue {
      if let column = value as? any _ColumnValue { return column }
      if let raw = value as? any RawRepresentable, let column = raw.rawValue as? any _ColumnValue {
        guard _RowWriter.roundTrips(raw) else {
          throw _RowWriter.unreadable(members.name, type(of: value))
        }
        return column
      }
      throw UnsuitableForColumns()
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      encoder.member(key.stringValue).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      RefusingContainer()
    }

    mutating func superEncoder() -> any Encoder { encoder.member("super") }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key.stringValue) }
  }
}

/// The containers that a structure with columns never requests, as long as it encodes itself the
/// way it decodes itself.
private struct RefusingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  mutating func encodeNil() throws { throw UnsuitableForColumns() }
  mutating func encode<Value: Encodable>(_ value: Value) throws { throw UnsuitableForColumns() }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> {
    CompositeEncoder(members: CompositeMembers(shape: CompositeShape(columns: [])))
      .container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  mutating func superEncoder() -> any Encoder {
    CompositeEncoder(members: CompositeMembers(shape: CompositeShape(columns: [])))
  }
}
