import Foundation

/// Writes values whose types are known at run time only, in the same way as generated code writes values of known
/// types.
extension _RowWriter {
  /// Appends the columns of the property at ``property`` and advances to the next one.
  ///
  /// - Parameter value: A value of the property's type; nil leaves the columns NULL.
  package mutating func write(erased value: Any?) {
    let planned = plan.properties[property]
    let type = planned.valueType
    guard !planned.storage.isEphemeral, let value else { return skip() }
    if planned.storage.transformerName != nil {
      write(transformable: value, as: type)
    } else if planned.storage.isOpaque, let codable = value as? any Codable {
      appendOpaque(codable)
      property += 1
    } else if let codable = type as? any Codable.Type {
      write(value, as: codable)
    } else {
      failure = failure ?? uncodable
      skip()
    }
  }

  private mutating func write(transformable value: Any, as type: any Any.Type) {
    // The stored form of a type that isn't Codable is its transformer's bytes.
    if let bytes = value as? Data, PropertyShape.unwrapped(type).type != Data.self {
      append(blob: bytes)
    } else {
      appendTransformed(value)
    }
    property += 1
  }

  /// Appends the stored bytes of the next property's column, whatever the property's type.
  mutating func write(stored bytes: (some Collection<UInt8>)?) {
    if let bytes { append(blob: bytes) } else { appendUnset() }
    property += 1
  }

  /// Leaves the columns of the next property NULL.
  mutating func skip() {
    appendUnset()
    property += 1
  }

  private mutating func write<Value: Codable>(_ value: Any, as type: Value.Type) {
    if let value = value as? Value { write(_Stored(value)) } else { skip() }
  }

  /// Writes the value of a property with one typed column, which the value's type determines.
  mutating func write<Value: Codable>(scalar value: Value) {
    if let column = value as? any _ColumnValue {
      column._encode(into: &self)
      property += 1
      return
    }
    guard let wrapped = PropertyShape.content(of: value) else { return skip() }
    guard let representable = wrapped as? any RawRepresentable,
      let raw = representable.rawValue as? any _ColumnValue
    else {
      // The column is for what a transformer makes, which the calling code doesn't know.
      let name = plan.properties[property].name
      failure = failure ?? SchemaError.misalignedRow(entity: plan.name, property: name)
      return skip()
    }
    if !Self.roundTrips(representable) { refuse(Value.self) }
    raw._encode(into: &self)
    property += 1
  }

  private var uncodable: SwiftDataError {
    let property = plan.properties[property]
    return .modelValidationFailure.explained(
      "\(plan.name).\(property.name) can't be part of a snapshot: its type \(property.valueType)"
        + " isn't Codable.")
  }
}
