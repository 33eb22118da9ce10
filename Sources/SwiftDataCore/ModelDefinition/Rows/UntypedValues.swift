/// Values whose types are known at run time only: those of hand-written models.
extension _RowWriter {
  /// Appends the columns of the next property, an attribute.
  mutating func append(untyped value: Any?) {
    let planned = plan.properties[property]
    if planned.storage.isEphemeral { return }
    if planned.storage.transformerName != nil { return appendTransformed(value) }
    let shape = planned.shape
    guard let value = PropertyShape.content(of: value) else { return appendUnset() }
    if case .scalar = shape {
      if let column = value as? any _ColumnValue { return column._encode(into: &self) }
      if let raw = value as? any RawRepresentable, let column = raw.rawValue as? any _ColumnValue {
        return column._encode(into: &self)
      }
    }
    guard let codable = value as? any Codable else { return appendUnset() }
    do {
      if case .composite(let composite, let isOptional) = shape {
        if isOptional { append(integer: 1) }
        try composite.encode(codable, into: &self)
      } else {
        append(text: try JSONColumn.encode(codable))
      }
    } catch {
      failure = failure ?? error
      appendUnset()
    }
  }
}

extension _RowReader {
  /// Takes the columns of the next property, an attribute.
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

  private mutating func nextRawRepresentable(_ type: any Any.Type) throws -> Any? {
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
