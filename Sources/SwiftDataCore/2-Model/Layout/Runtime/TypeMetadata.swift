/// The metadata that the Swift runtime keeps for each type (Swift ABI, docs/ABI/TypeMetadata.rst).
package enum TypeMetadata {
  /// The kinds of nominal types without a class.
  package enum Kind {
    case structure
    case enumeration
    case other
  }

  /// The kind of a type. A class is `other`: its metadata may begin with an address.
  package static func kind(of type: any Any.Type) -> Kind {
    if type is AnyClass { return .other }
    return switch words(of: type).pointee {
    case 0x200: .structure
    case 0x201: .enumeration
    default: .other
    }
  }

  /// The name of a structure without module and generic arguments; nil for another type.
  static func nameOfStructure(_ type: any Any.Type) -> String? {
    guard kind(of: type) == .structure,
      let description = UnsafeRawPointer(bitPattern: words(of: type)[1])
    else { return nil }
    // The flags, the relative offset of the parent, then that of the name, each of 32 bits.
    let place = description + 8
    let name = place + Int(place.loadUnaligned(as: Int32.self))
    return String(cString: name.assumingMemoryBound(to: CChar.self))
  }

  /// The first case of a one-byte enumeration without payload, whose cases are numbered from 0; nil for another type.
  /// Every enumeration with a raw value has that case.
  static func firstCase<Value>(of type: Value.Type) -> Any? {
    guard kind(of: type) == .enumeration, MemoryLayout<Value>.size <= 1, _isPOD(type) else {
      return nil
    }
    if MemoryLayout<Value>.size == 0 { return unsafeBitCast((), to: type) }
    return unsafeBitCast(UInt8(0), to: type)
  }

  private static func words(of type: any Any.Type) -> UnsafePointer<Int> {
    unsafeBitCast(type, to: UnsafePointer<Int>.self)
  }
}
