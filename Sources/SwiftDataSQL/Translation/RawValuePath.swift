import Foundation

/// Distinguishes `\Kind.rawValue` from other properties of the same type.
///
/// The raw value of an enumeration is a computed property, and a key path to it made for any
/// `RawRepresentable` differs from one that the compiler made for the enumeration. So the property
/// is read for every case: it is taken for the raw value if it equals the raw value of each case.
enum RawValuePath {
  static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
    let root = type(of: keyPath).rootType
    if let cases = root as? any (CaseIterable & RawRepresentable).Type {
      return isRawValue(keyPath, of: cases)
    }
    // In a structure it is a stored property, which is identified by its name in the key path.
    return root is any RawRepresentable.Type && KeyPathNames.names(of: keyPath) == ["rawValue"]
  }

  private static func isRawValue<Raw: CaseIterable & RawRepresentable>(
    _ keyPath: AnyKeyPath, of type: Raw.Type
  ) -> Bool {
    guard let path = keyPath as? PartialKeyPath<Raw>, !Raw.allCases.isEmpty else { return false }
    return Raw.allCases.allSatisfy { value in
      guard let found = value[keyPath: path] as? AnyHashable,
        let raw = value.rawValue as? AnyHashable
      else { return false }
      return found == raw
    }
  }
}
