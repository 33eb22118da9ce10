/// The names of the types of a predicate's nodes.
package enum NodeName {
  /// The name of a type without module and generic arguments.
  ///
  /// The runtime determines the arguments by recursion, which takes a kilobyte of stack for each level, and a node's
  /// type is nested as deep as its predicate. So the name of a structure, whose metadata has the kind 0x200, is read
  /// from its descriptor (Swift ABI, docs/ABI/TypeMetadata.rst).
  package static func of(_ type: any Any.Type) -> String {
    if !(type is AnyClass) {
      let metadata = unsafeBitCast(type, to: UnsafePointer<Int>.self)
      if metadata.pointee == 0x200, let description = UnsafeRawPointer(bitPattern: metadata[1]) {
        // The flags, the relative offset of the parent, then that of the name, each of 32 bits.
        let place = description + 8
        let name = place + Int(place.loadUnaligned(as: Int32.self))
        return String(cString: name.assumingMemoryBound(to: CChar.self))
      }
    }
    return String(String(describing: type).prefix { $0 != "<" })
  }
}
