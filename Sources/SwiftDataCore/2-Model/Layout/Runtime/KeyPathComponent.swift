/// One step of a key path, as the Swift runtime keeps it: a key path object holds a buffer of components behind its
/// header (docs/ABI/KeyPaths.md of the Swift project).
package struct KeyPathComponent {
  private typealias AnyType = any Any.Type

  package enum Kind: Equatable {
    /// A stored property of a structure, at an offset in its values.
    case member(offset: Int)
    /// A property of a class, a computed one, or a subscript, by the identity of its declaration.
    case property(Identity)
    /// `?`: the whole value is nil where this one is.
    case chaining
    /// `!`
    case forcing
    /// The optional around the value of a path with `?`.
    case wrapping
  }

  /// The declaration of a property: the same in key paths of its class and of subclasses, and of a generic class with
  /// any parameters.
  package struct Identity: Equatable {
    fileprivate let flags: UInt32
    fileprivate let number: Int
  }

  package let kind: Kind
  /// The type of the value that the step starts from.
  package let root: any Any.Type
  /// The type of the value that it leads to.
  package let value: any Any.Type

  /// The offset of the component buffer: behind the object header and the text for key-value coding. The buffer has its
  /// own header, then the components.
  private static let bufferOffset = 3 * MemoryLayout<Int>.size
  private static let sizeMask: UInt32 = 0x00FF_FFFF
  private static let kindMask: UInt32 = 0x7F00_0000
  private static let offsetMask: UInt32 = 0x007F_FFFF
  private static let computed: UInt32 = 0x0200_0000
  private static let settable: UInt32 = 0x0040_0000
  private static let hasArguments: UInt32 = 0x0008_0000
  /// The flag of arguments that are followed by an additional word.
  private static let hasExternalArguments: UInt32 = 0x0000_0010
  /// The flags that tell how a computed property is identified.
  private static let identityMask: UInt32 = 0x0030_0000

  /// The steps of a key path, as far as they are known.
  package static func components(of keyPath: AnyKeyPath) -> [KeyPathComponent] {
    withExtendedLifetime(keyPath) {
      let word = MemoryLayout<Int>.size
      var (place, end) = buffer(of: keyPath)
      var components: [KeyPathComponent] = []
      var root: any Any.Type = type(of: keyPath).rootType
      while place < end {
        guard let kind = kind(at: &place, before: end) else { break }
        place = place.alignedUp(toMultipleOf: word)
        // The type between two steps; that of the last one is the key path's own.
        var value: any Any.Type = type(of: keyPath).valueType
        if place < end {
          guard place + word <= end else { break }
          value = place.load(as: AnyType.self)
          place += word
        }
        components.append(KeyPathComponent(kind: kind, root: root, value: value))
        root = value
      }
      return components
    }
  }

  /// The declaration of the computed property that a key path consists of, as the properties of models are; nil for a
  /// key path of several steps, or of another kind.
  static func declaration(of keyPath: AnyKeyPath) -> Identity? {
    withExtendedLifetime(keyPath) {
      var (place, end) = buffer(of: keyPath)
      // The key path of a value itself, `\.self`, has no component.
      guard place < end, case .property(let identity)? = kind(at: &place, before: end),
        identity.flags & kindMask == computed, place == end
      else { return nil }
      return identity
    }
  }

  /// The places where the components of a key path, which the caller keeps alive, begin and end.
  private static func buffer(
    of keyPath: AnyKeyPath
  ) -> (start: UnsafeRawPointer, end: UnsafeRawPointer) {
    let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
    let header = object + bufferOffset
    let start = header + MemoryLayout<Int>.size
    return (start, start + Int(header.load(as: UInt32.self) & sizeMask))
  }

  /// The member of a structure to which the step leads; nil for a step of another kind, or a value of another type.
  package func member(of structure: Any) -> Any? {
    guard case .member(let offset) = kind else { return nil }
    func open<Root>(_ root: Root.Type) -> Any? {
      guard let structure = structure as? Root else { return nil }
      func read<Value>(_ type: Value.Type) -> Any? {
        withUnsafeBytes(of: structure) { bytes in
          bytes.baseAddress.map { ($0 + offset).assumingMemoryBound(to: type).pointee }
        }
      }
      return _openExistential(value, do: read)
    }
    return _openExistential(root, do: open)
  }

  /// Reads a component without the type behind it.
  private static func kind(at place: inout UnsafeRawPointer, before end: UnsafeRawPointer) -> Kind?
  {
    let word = MemoryLayout<Int>.size
    let flags = place.load(as: UInt32.self)
    place += 4
    switch flags & kindMask {
    case 0x0100_0000, 0x0300_0000:
      var offset = Int(flags & offsetMask)
      if flags & offsetMask == offsetMask {
        guard place + 4 <= end else { return nil }
        offset = Int(place.load(as: UInt32.self))
        place += 4
      }
      guard flags & kindMask == 0x0300_0000 else { return .member(offset: offset) }
      return .property(Identity(flags: flags & kindMask, number: offset))
    case computed:
      place = place.alignedUp(toMultipleOf: word)
      // The identity, the getter, and the setter of a property that has one.
      let size = (flags & settable == 0 ? 2 : 3) * word
      guard place + size <= end else { return nil }
      let number = place.load(as: Int.self)
      place += size
      let property = Kind.property(
        Identity(flags: flags & (kindMask | identityMask), number: number))
      guard flags & hasArguments != 0 else { return property }
      // The size of the arguments, their operations, and they themselves: values of a subscript, or the parameters of a
      // generic class. Beside one with arguments, other components have arguments without a size.
      guard place + 2 * word <= end else { return nil }
      let arguments = place.load(as: Int.self)
      let extra = flags & hasExternalArguments == 0 ? 0 : word
      guard arguments >= 0, arguments <= end - place - 2 * word - extra else { return nil }
      place += 2 * word + arguments + extra
      return property
    case 0x0400_0000:
      switch flags & offsetMask {
      case 0: return .chaining
      case 1: return .wrapping
      case 2: return .forcing
      default: return nil
      }
    default: return nil
    }
  }
}
