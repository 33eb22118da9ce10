/// The short texts that rows had lately, by column: many columns have few values, a kind or a status, and making a string
/// of bytes takes five times as long as finding the one that is there.
///
/// For texts of at most 15 bytes, which strings hold in themselves. A column whose texts hardly ever come again is given
/// up.
@usableFromInline
package struct RecentTexts: ~Copyable {
  /// The most bytes of a text.
  @inlinable static var mostBytes: Int { 15 }
  /// How many texts a column has, as a power of two.
  @inlinable static var slotBits: Int { 3 }
  /// So many more misses than hits, and a column is given up.
  private static let credit: Int8 = 32

  @usableFromInline
  struct Slot {
    /// The first bytes and the last ones, which may be the same.
    @usableFromInline var first: UInt64
    @usableFromInline var last: UInt64
    /// 0 while there is no text.
    @usableFromInline var count: Int
    @usableFromInline var text: String
  }

  @usableFromInline let slots: UnsafeMutablePointer<Slot>
  /// What columns have left; 0 for those that were given up.
  @usableFromInline let credits: UnsafeMutablePointer<Int8>
  @usableFromInline let columns: Int

  package init(columns: Int) {
    self.columns = columns
    slots = .allocate(capacity: columns << Self.slotBits)
    slots.initialize(
      repeating: Slot(first: 0, last: 0, count: 0, text: ""), count: columns << Self.slotBits)
    credits = .allocate(capacity: columns)
    credits.initialize(repeating: Self.credit, count: columns)
  }

  deinit {
    slots.deinitialize(count: columns << Self.slotBits)
    slots.deallocate()
    credits.deallocate()
  }

  /// The text of `count` bytes, 1 to ``mostBytes``, in a column.
  @inlinable
  @inline(__always)
  func text(_ bytes: UnsafeRawPointer, _ count: Int, of column: Int) -> String {
    guard column < columns, credits[column] > 0 else {
      return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
    let (first, last) = Self.ends(of: bytes, count)
    let hash = (first ^ last &* 31) &* 0x9E37_79B9_7F4A_7C15
    let slot =
      slots
      + (column << Self.slotBits | Int(truncatingIfNeeded: hash >> UInt64(64 - Self.slotBits)))
    guard slot.pointee.first == first, slot.pointee.last == last, slot.pointee.count == count else {
      return make(bytes, count, column, first, last, in: slot)
    }
    // As many more misses are allowed, up to a limit.
    credits[column] |= 0b0100_0000
    return slot.pointee.text
  }

  /// Two texts of one length are equal when these are.
  @inlinable
  @inline(__always)
  static func ends(of bytes: UnsafeRawPointer, _ count: Int) -> (UInt64, UInt64) {
    if count >= 8 {
      return (
        bytes.loadUnaligned(as: UInt64.self),
        (bytes + count - 8).loadUnaligned(as: UInt64.self)
      )
    }
    if count >= 4 {
      return (
        UInt64(bytes.loadUnaligned(as: UInt32.self)),
        UInt64((bytes + count - 4).loadUnaligned(as: UInt32.self))
      )
    }
    // The first, the middle and the last of up to three.
    return (
      UInt64(bytes.load(as: UInt8.self)) | UInt64((bytes + count / 2).load(as: UInt8.self)) << 8,
      UInt64((bytes + count - 1).load(as: UInt8.self))
    )
  }

  @usableFromInline
  @inline(never)
  func make(
    _ bytes: UnsafeRawPointer, _ count: Int, _ column: Int, _ first: UInt64, _ last: UInt64,
    in slot: UnsafeMutablePointer<Slot>
  ) -> String {
    credits[column] -= 1
    let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    slot.pointee = Slot(first: first, last: last, count: count, text: text)
    return text
  }
}
