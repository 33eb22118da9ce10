import CSwiftRuntime

/// Destroys models that hold each other in long chains one after the other instead of nested, which would exhaust the
/// stack.
enum SequentialDestruction {
  /// Prepares a class of models, see `swift_data_destroy_in_turn`.
  static func prepare(_ type: any PersistentModel.Type) {
    let address = UInt(bitPattern: ObjectIdentifier(type))
    guard let metadata = UnsafeMutableRawPointer(bitPattern: address) else { return }
    swift_data_destroy_in_turn(metadata)
  }
}
