/// A value that is stored as its raw value must come back from it: a stored value that can't be read again would make
/// every fetch of its class fail.
extension _RowWriter {
  /// Appends the raw value.
  ///
  /// A value of one byte, such as the case of an enumeration, is checked once; larger values are structures, whose
  /// initialisers cost almost nothing.
  @inlinable
  mutating func append<Value: RawRepresentable>(rawValueOf value: Value)
  where Value.RawValue: _ColumnValue {
    let raw = value.rawValue
    raw._encode(into: &self)
    if MemoryLayout<Value>.size <= 1 {
      let byte = withUnsafeBytes(of: value) { $0.first ?? 0 }
      if isKnown(byte) { return }
      if Value(rawValue: raw) != nil { return record(byte) }
    } else if Value(rawValue: raw) != nil {
      return
    }
    refuse(Value.self)
  }

  @usableFromInline
  func isKnown(_ byte: UInt8) -> Bool {
    guard property < plan.properties.count else { return true }
    return plan.verifiedRawValues.contains(byte, of: property)
  }

  @usableFromInline
  mutating func record(_ byte: UInt8) { plan.verifiedRawValues.insert(byte, of: property) }

  @usableFromInline
  mutating func refuse(_ type: Any.Type) {
    guard failure == nil else { return }
    let name = plan.properties.indices.contains(property) ? plan.properties[property].name : "?"
    failure = Self.unreadable("\(plan.name).\(name)", type)
  }

  /// - Parameter name: The names of the entity and the property.
  static func unreadable(_ name: String, _ type: Any.Type) -> SwiftDataError {
    .modelValidationFailure.explained(
      "\(name) has a value that couldn't be read again: \(type).init(rawValue:) refuses the value's own"
        + " raw value. Set another value, or let the initialiser accept it.")
  }

  /// Whether a value comes back from its raw value.
  static func roundTrips<Value: RawRepresentable>(_ value: Value) -> Bool {
    Value(rawValue: value.rawValue) != nil
  }
}
