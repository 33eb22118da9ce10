/// Compares the properties that key paths of a class and of its subclass lead to.
package enum KeyPathIdentity {
  /// Whether both key paths are a single step to the same property, whatever class they start from.
  ///
  /// Two key paths are equal only when they start from the same type, so the step itself is compared: a key path
  /// object holds a buffer of components behind its header; that of a computed property is a word of flags and
  /// the identity of its declaration (docs/ABI/KeyPaths.md of the Swift project).
  package static func isSame(_ one: AnyKeyPath, _ other: AnyKeyPath) -> Bool {
    if one == other { return true }
    guard type(of: one).valueType == type(of: other).valueType,
      let first = component(of: one), let second = component(of: other)
    else { return false }
    return first == second
  }

  private struct Component: Equatable {
    /// The size of the whole key path's buffer: a path of more steps is longer.
    let size: UInt32
    let flags: UInt32
    let identity: Int
  }

  /// The offset of the component buffer: behind the object header and the text for key-value coding. The buffer has its
  /// own header, then the components.
  private static let bufferOffset = 3 * MemoryLayout<Int>.size
  private static let sizeMask: UInt32 = 0x00FF_FFFF
  private static let kindMask: UInt32 = 0x7F00_0000
  private static let computed: UInt32 = 0x0200_0000
  /// The flag at the end of a chain of references. It isn't part of the property's identity.
  private static let endOfReferences: UInt32 = 0x8000_0000

  private static func component(of keyPath: AnyKeyPath) -> Component? {
    withExtendedLifetime(keyPath) {
      let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let size = object.load(fromByteOffset: bufferOffset, as: UInt32.self) & sizeMask
      let word = MemoryLayout<Int>.size
      // At least the padded flags, the identity and the getter.
      guard Int(size) >= 3 * word else { return nil }
      let flags = object.load(fromByteOffset: bufferOffset + word, as: UInt32.self)
      guard flags & kindMask == computed else { return nil }
      return Component(
        size: size, flags: flags & ~endOfReferences,
        identity: object.load(fromByteOffset: bufferOffset + 2 * word, as: Int.self))
    }
  }
}
