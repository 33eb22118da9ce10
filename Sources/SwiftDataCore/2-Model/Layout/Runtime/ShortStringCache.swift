/// The short texts that rows had recently, by column: many columns have few distinct values, such as a kind or a
/// status, and making a string from bytes takes five times as long as finding an existing one.
///
/// Only for texts of at most 15 bytes, which strings store inline. The cache isn't used for columns whose texts rarely
/// repeat.
@usableFromInline
package struct ShortStringCache: ~Copyable {
  /// The maximum number of bytes of a text.
  @inlinable static var maximumBytes: Int { 15 }
  /// The number of texts per column, as a power of two.
  @inlinable static var slotBits: Int { 3 }
  /// The initial credit of a column: the number of misses before its first hit after which the cache isn't used for it.
  private static let credit: Int8 = 32

  @usableFromInline
  struct Slot {
    /// The first and the last bytes, which may overlap.
    @usableFromInline var first: UInt64
    @usableFromInline var last: UInt64
    /// 0 while there is no text.
    @usableFromInline var count: Int
    @usableFromInline var text: String
  }

  @usableFromInline let slots: UnsafeMutablePointer<Slot>
  /// The remaining credit of each column; 0 for columns that no longer use the cache.
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

  /// The text of `count` bytes, 1 to ``maximumBytes``, in a column.
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
    // A hit raises the credit to at least 64 misses; it can't exceed 127.
    credits[column] |= 0b0100_0000
    return slot.pointee.text
  }

  /// The first and the last bytes of a text. Two texts of the same length are equal when these are equal.
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
    // The first, the middle and the last of up to three bytes.
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
