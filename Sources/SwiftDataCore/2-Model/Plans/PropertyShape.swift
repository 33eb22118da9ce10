import Foundation

/// The kind of a property's type, which determines how its value becomes columns.
package enum PropertyShape: Sendable {
  /// One column: a type that conforms to ``_ColumnValue``, or an enumeration by its raw value.
  case scalar(ColumnKind)
  /// One column for each member. The flag indicates whether the whole may be nil, which takes an additional column.
  case composite(CompositeShape, isOptional: Bool)
  /// One column of JSON text.
  case json
  /// One column with the destination's row id.
  case toOne(destination: any PersistentModel.Type)
  /// A to-many relationship: no column of its own.
  case toMany(destination: any PersistentModel.Type)

  /// The shape of properties of `type` with an attribute's options; nil when the type can't be persisted.
  static func shape(of type: any Any.Type, _ storage: AttributeStorage) -> PropertyShape? {
    // A transformer makes bytes from any type, and a property that is never written may have any type.
    if storage.transformerName != nil { return .scalar(.data) }
    if storage.isEphemeral { return .json }
    return shape(of: type, isOpaque: storage.isOpaque)
  }

  /// The shape of properties of `type`; nil when the type can't be persisted.
  package static func shape(of type: any Any.Type, isOpaque: Bool = false) -> PropertyShape? {
    let (wrapped, isOptional) = unwrapped(type)
    if PlainTypes.known(type) == nil {
      if let model = wrapped as? any PersistentModel.Type { return .toOne(destination: model) }
      if wrapped is any RelationshipCollection.Type, let model = Schema.destination(of: type) {
        return .toMany(destination: model)
      }
    }
    if isOpaque { return wrapped is any Codable.Type ? .json : nil }
    if let kind = scalarKind(of: wrapped) { return .scalar(kind) }
    guard let codable = wrapped as? any Codable.Type else { return nil }
    if let composite = CompositeShape.shape(of: codable) {
      return .composite(composite, isOptional: isOptional)
    }
    return .json
  }

  /// The column kind of a type that is stored in one typed column.
  package static func scalarKind(of type: any Any.Type) -> ColumnKind? {
    if let column = type as? any _ColumnValue.Type { return column._columnKind }
    if let raw = type as? any RawRepresentable.Type { return rawKind(of: raw) }
    return nil
  }

  private static func rawKind<Raw: RawRepresentable>(of type: Raw.Type) -> ColumnKind? {
    guard type is any Codable.Type else { return nil }
    return (Raw.RawValue.self as? any _ColumnValue.Type)?._columnKind
  }

  /// The type inside an optional, and whether there was one.
  package static func unwrapped(_ type: any Any.Type) -> (type: any Any.Type, isOptional: Bool) {
    if let plain = PlainTypes.known(type) { return plain }
    guard let optional = type as? any OptionalType.Type else { return (type, false) }
    return (optional.wrappedType, true)
  }

  /// The value inside an optional, or the value itself.
  package static func content(of value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any OptionalType else { return value }
    return optional.wrappedValue
  }
}

/// Access to `Optional` through a metatype.
package protocol OptionalType {
  static var wrappedType: any Any.Type { get }
  /// The value inside; nil when there is none.
  var wrappedValue: Any? { get }
  static func makeOptional(_ value: Any?) -> Any
}

extension Optional: OptionalType {
  package static var wrappedType: any Any.Type { Wrapped.self }
  package var wrappedValue: Any? { self }
  package static func makeOptional(_ value: Any?) -> Any { (value as? Wrapped) as Any }
}

// MARK: - Values that generated code passes as `Codable`

extension PropertyShape {
  /// Appends the columns of `value`.
  func encode<Value: Codable>(_ value: Value, into writer: inout _RowWriter) throws {
    switch self {
    case .composite(let shape, let isOptional):
      if isOptional {
        guard let wrapped = (value as? any OptionalType)?.wrappedValue as? any Codable else {
          return writer.appendUnset()
        }
        writer.append(integer: 1)
        try shape.encode(wrapped, into: &writer)
      } else {
        try shape.encode(value, into: &writer)
      }
    case .json, .scalar, .toOne, .toMany:
      if let optional = value as? any OptionalType, optional.wrappedValue == nil {
        writer.appendNull()
      } else {
        writer.append(text: try JSONColumn.encode(value, of: writer.propertyName))
      }
    }
  }

  /// Reads the columns of a `Value`.
  func decode<Value: Codable>(_ type: Value.Type, from reader: inout _RowReader) throws -> Value {
    switch self {
    case .composite(let shape, let isOptional):
      guard isOptional else { return try shape.decode(type, from: &reader) }
      let presence = try reader.next()
      guard presence.kind != .null else {
        reader.column += shape.columns.count
        return try Self.none(type)
      }
      return try shape.decode(type, from: &reader)
    case .json, .scalar, .toOne, .toMany:
      if reader.isNextNull, type is any OptionalType.Type {
        reader.column += 1
        return try Self.none(type)
      }
      return try JSONColumn.decode(type, from: &reader)
    }
  }

  private static func none<Value>(_ type: Value.Type) throws -> Value {
    guard let optional = type as? any OptionalType.Type,
      let none = optional.makeOptional(nil) as? Value
    else {
      throw RowDecodingError(entity: "?", column: "?", expected: "\(type)", found: "NULL")
    }
    return none
  }
}
