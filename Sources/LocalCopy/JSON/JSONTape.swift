/// A compact index of one JSON value: an entry for each key and each value, in document order.
///
/// Offsets count bytes from the start of the value, so that they remain correct while the value's bytes arrive in
/// pieces and are assembled in a buffer.
package final class JSONTape {
  /// The kind of an entry.
  package enum Kind: UInt8 {
    case object, array, key, string, number, `true`, `false`, null
  }

  /// The properties of a string or a number that the scanner recorded.
  package struct Marks: OptionSet {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The string contains backslashes.
    package static let escaped = Marks(rawValue: 1)
    /// The string contains an escaped surrogate without its partner (RFC 8259 section 8.2).
    package static let loneSurrogate = Marks(rawValue: 2)
    /// The number has neither fraction nor exponent.
    package static let integer = Marks(rawValue: 4)
  }

  /// A key or a value; 16 bytes.
  package struct Entry {
    /// The start of the text; for strings and keys, after the quotation mark.
    package var offset: UInt32
    /// The end of the text; for arrays and objects, the number of their elements or members.
    package var end: UInt32
    /// The position on the tape after this value and its contents.
    package var next: UInt32
    package var kind: Kind
    package var marks: Marks
  }

  // Each access is a single load or store that calls no other code, so accesses can't overlap: a check at run time
  // would cost more than the access.
  @exclusivity(unchecked) private var storage: UnsafeMutablePointer<Entry>
  @exclusivity(unchecked) private var capacity: Int
  /// The number of entries.
  @exclusivity(unchecked) package private(set) var count = 0
  /// Whether a key has an escaped surrogate without its partner: its object can't be decoded.
  package var hasBrokenKey = false

  package init() {
    capacity = 128
    storage = .allocate(capacity: capacity)
  }

  deinit {
    // Entries are trivial and need no deinitialization.
    storage.deallocate()
  }

  /// The entries, for reading; valid until the next change.
  package var entries: UnsafePointer<Entry> { UnsafePointer(storage) }

  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "an index on the tape")
    return storage[index]
  }

  /// Adds an entry that has no children.
  /// - Returns: the position of the entry.
  @inline(__always) @discardableResult
  package func append(_ kind: Kind, offset: Int, end: Int, marks: Marks = []) -> Int {
    if count == capacity { grow() }
    let position = count
    storage[position] = Entry(
      offset: UInt32(truncatingIfNeeded: offset), end: UInt32(truncatingIfNeeded: end),
      next: UInt32(truncatingIfNeeded: position &+ 1), kind: kind, marks: marks)
    count = position &+ 1
    return position
  }

  /// Closes the array or the object at a position, after its last child.
  @inline(__always)
  package func close(_ position: Int, childCount: Int) {
    storage[position].end = UInt32(truncatingIfNeeded: childCount)
    storage[position].next = UInt32(truncatingIfNeeded: count)
  }

  /// Empties the tape and frees the memory of an unusually large value.
  package func removeAll() {
    count = 0
    hasBrokenKey = false
    guard capacity > 1 << 14 else { return }
    storage.deallocate()
    capacity = 128
    storage = .allocate(capacity: capacity)
  }

  @inline(never)
  private func grow() {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
    larger.update(from: storage, count: count)
    storage.deallocate()
    storage = larger
    capacity *= 2
  }
}
