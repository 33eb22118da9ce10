import Foundation

// The methods that generated code calls for properties whose `@Attribute` requests a storage other than their type's.
// The macro sees the option and selects the method, so that the overloads for ordinary properties need no checks.

extension _RowWriter {
  /// Writes a property with `.transformable(by:)`, of any type.
  public mutating func writeTransformed<Value>(_ stored: borrowing _Stored<Value>) {
    appendTransformed(stored.value)
    property += 1
  }

  /// Writes a property with `.codable`: as JSON, even if the type has a column kind of its own.
  public mutating func writeOpaque<Value: Codable>(_ stored: borrowing _Stored<Value>) {
    appendOpaque(stored.value)
    property += 1
  }

  /// Skips a property with `.ephemeral`, which has no column.
  public mutating func writeEphemeral<Value>(_ stored: borrowing _Stored<Value>) { property += 1 }

  mutating func appendTransformed(_ value: Any?) {
    let plan = plan
    let property = plan.properties[property]
    guard let value = PropertyShape.content(of: value) else { return appendUnset() }
    do {
      let transformer = try TransformerSearch(plan, property).run()
      guard let bytes = transformer.transformedValue(value) as? Data else {
        throw SchemaError.failedTransformer(
          entity: plan.name, property: property.name,
          what: "made no Data of a value of \(type(of: value))")
      }
      append(blob: bytes)
    } catch {
      failure = failure ?? error
      appendUnset()
    }
  }

  mutating func appendOpaque(_ value: (some Encodable)?) {
    guard let value else { return appendUnset() }
    if let optional = value as? any OptionalType, optional.wrappedValue == nil {
      return appendNull()
    }
    do { append(text: try JSONColumn.encode(value, of: propertyName)) } catch {
      failure = failure ?? error
      appendUnset()
    }
  }
}

extension _RowReader {
  /// Reads a property with `.transformable(by:)`, of any type.
  public mutating func readTransformed<Value>() throws -> _Stored<Value> {
    guard let value = try nextTransformed(Value.self) as? Value else {
      throw SchemaError.failedTransformer(
        entity: plan.name, property: plan.properties[property].name,
        what: "made something else than \(Value.self) of the stored bytes")
    }
    property += 1
    return _Stored(value)
  }

  /// Reads a property with `.codable`.
  public mutating func readOpaque<Value: Codable>() throws -> _Stored<Value> {
    let value = try PropertyShape.json.decode(Value.self, from: &self)
    property += 1
    return _Stored(value)
  }

  /// Reads a property with `.ephemeral`: a model that has no value yet gets the declared initial value.
  public mutating func readEphemeral<Value>(_ stored: inout _Stored<Value>) throws {
    if let restored = restoredValue, let value = restored as? Value {
      stored.value = value
    } else if stored.value == nil {
      stored.value = plan.properties[property].defaultValue as? Value
    }
    property += 1
  }

  /// The value that the model's state restores in the property that is read next.
  var restoredValue: Any? {
    guard let restored = fields?.pointee.rareFields?.takeUnretainedValue().restored,
      restored.property == property
    else { return nil }
    return restored.value
  }

  /// Reads a transformer's bytes and transforms them back.
  mutating func nextTransformed(_ type: any Any.Type) throws -> Any {
    let property = plan.properties[property]
    if isNextNull, let optional = type as? any OptionalType.Type {
      _ = try next()
      return optional.makeOptional(nil)
    }
    let bytes = Data(try nextBlob())
    let transformer = try TransformerSearch(plan, property).run()
    guard let value = transformer.reverseTransformedValue(bytes) else {
      throw SchemaError.failedTransformer(
        entity: plan.name, property: property.name, what: "made nothing of the stored bytes")
    }
    return (type as? any OptionalType.Type)?.makeOptional(value) ?? value
  }
}
