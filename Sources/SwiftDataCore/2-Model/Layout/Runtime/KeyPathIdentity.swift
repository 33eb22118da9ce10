/// Compares the properties that key paths of a class and of its subclass lead to.
package enum KeyPathIdentity {
  /// Whether both key paths are a single step to the same property, whatever class they start from.
  ///
  /// Two key paths are equal only when they start from the same type, so the declarations of the properties are
  /// compared.
  package static func isSame(_ one: AnyKeyPath, _ other: AnyKeyPath) -> Bool {
    if one == other { return true }
    guard type(of: one).valueType == type(of: other).valueType,
      let first = KeyPathComponent.declaration(of: one)
    else { return false }
    return first == KeyPathComponent.declaration(of: other)
  }
}
