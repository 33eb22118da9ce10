/// Values whose types are known only at run time: those of hand-written models.
extension _RowReader {
  /// Reads the columns of the next property, which is an attribute.
  mutating func nextUntyped() throws -> Any {
    let planned = plan.properties[property]
    if planned.storage.transformerName != nil { return try nextTransformed(planned.valueType) }
    if case .scalar = planned.shape {
      if let column = planned.valueType as? any _ColumnValue.Type {
        return try column._decode(from: &self)
      }
      if let value = try nextRawRepresentable(planned.valueType) { return value }
    }
    guard let codable = planned.valueType as? any Codable.Type else {
      throw RowDecodingError(
        entity: plan.name, column: planned.name, expected: "\(planned.valueType)",
        found: "a type that can't be decoded")
    }
    return try planned.shape.decode(codable, from: &self)
  }

  /// Reads the column of the next property, which is a typed one.
  mutating func nextScalar<Value>(_ type: Value.Type) throws -> Value {
    let untyped = try nextUntyped()
    guard let value = untyped as? Value else {
      throw RowDecodingError(
        entity: plan.name, column: plan.properties[property].name, expected: "\(type)",
        found: "\(Swift.type(of: untyped))")
    }
    return value
  }

  mutating func nextRawRepresentable(_ type: any Any.Type) throws -> Any? {
    let (wrapped, _) = PropertyShape.unwrapped(type)
    guard let representable = wrapped as? any RawRepresentable.Type else { return nil }
    let optional = type as? any OptionalType.Type
    if let optional, isNextNull {
      _ = try next()
      return optional.makeOptional(nil)
    }
    let value = try rawRepresentable(representable)
    return optional?.makeOptional(value) ?? value
  }

  private mutating func rawRepresentable<Value: RawRepresentable>(
    _ type: Value.Type
  ) throws -> Any {
    guard let column = Value.RawValue.self as? any _ColumnValue.Type else {
      throw RowDecodingError(
        entity: plan.name, column: plan.properties[property].name, expected: "\(type)",
        found: "a raw value that has no column")
    }
    let raw = try column._decode(from: &self)
    guard let rawValue = raw as? Value.RawValue, let value = Value(rawValue: rawValue) else {
      throw noCase(type, "\(raw)")
    }
    return value
  }
}
