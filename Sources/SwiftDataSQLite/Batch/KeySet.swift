import SwiftDataCore

/// Unique values, of which each leaves four bytes. It may take a new value for one that is in it, once in some ten thousands
/// of full sets, but never the other way round.
struct KeySet {
  /// With so many values it is full: it takes 1 MiB, and sorting them about 8.
  static let greatestCount = 1 << 17
  /// Values that were made to lie side by side aren't looked through without end.
  private static let longestSearch = 64
  private static let slots = 1 << 18

  /// The upper half of the hash, at the slot that the lower one says or behind it; 0 is none.
  private var marks = [UInt32](repeating: 0, count: slots)
  private(set) var count = 0
  /// Nobody outside can tell which values lie side by side.
  private let seed = UInt64.random(in: .min ... .max)

  /// Adds the values of a row.
  ///
  /// - Parameters:
  ///   - cells: The values.
  ///   - base: Where the bytes that they tell the place of begin; nil when they point to them.
  /// - Returns: Whether they are new for sure.
  mutating func insert(
    _ cells: some Sequence<_Cell>, in base: UnsafeRawPointer?
  ) -> Bool {
    guard count < Self.greatestCount else { return false }
    var hash = seed
    for cell in cells {
      switch cell.kind {
      // Equal to nothing, not even to itself.
      case .null: return true
      // An integer may be equal to it.
      case .real: return false
      case .integer:
        // Not the hash of a text with these bytes.
        Self.mix(1, into: &hash)
        Self.mix(UInt64(bitPattern: cell.bits), into: &hash)
      case .text, .blob:
        let bytes =
          base.map { $0 + Int(cell.bits) } ?? UnsafeRawPointer(bitPattern: Int(cell.bits))
        Self.mix(UnsafeRawBufferPointer(start: bytes, count: cell.count), into: &hash)
      }
    }
    return insert(hash)
  }

  private mutating func insert(_ hash: UInt64) -> Bool {
    let mark = max(1, UInt32(truncatingIfNeeded: hash >> 32))
    var slot = Int(truncatingIfNeeded: hash) & (Self.slots - 1)
    for _ in 0..<Self.longestSearch {
      if marks[slot] == 0 {
        marks[slot] = mark
        count += 1
        return true
      }
      if marks[slot] == mark { return false }
      slot = (slot + 1) & (Self.slots - 1)
    }
    return false
  }

  private static func mix(_ bytes: UnsafeRawBufferPointer, into hash: inout UInt64) {
    var rest = bytes[...]
    while rest.count >= 8 {
      mix(UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: UInt64.self), into: &hash)
      rest = rest.dropFirst(8)
    }
    var last: UInt64 = 0
    for byte in rest.reversed() { last = last << 8 | UInt64(byte) }
    mix(last | UInt64(truncatingIfNeeded: bytes.count) << 56, into: &hash)
  }

  /// Each bit of a value reaches each of the hash, and no two values give the same (Steele, Lea and Flood, "Fast
  /// splittable pseudorandom number generators", 2014: the finalizer of SplitMix64).
  private static func mix(_ value: UInt64, into hash: inout UInt64) {
    hash ^= value
    hash = (hash ^ hash &>> 30) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash &>> 27) &* 0x94D0_49BB_1331_11EB
    hash ^= hash &>> 31
  }
}
