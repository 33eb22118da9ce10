import SwiftDataCore

/// A set of unique values that stores five bytes for each. It may report a new value as already contained, once in some
/// hundreds of full sets, but never the other way round.
struct KeySet {
  /// The maximum number of values: the set then takes 10 MiB.
  static let maximumCount = 1 << 20
  /// The maximum number of slots that are searched, so that values chosen to lie side by side don't cause endless
  /// searches.
  private static let maximumProbeCount = 64
  private static let minimumBits = 18
  /// The lowest bit of the hash that is part of the mark. The marks contain the bits that select slots when the table
  /// is larger.
  private static let firstMarkBit = 17

  /// The number of slots is two to the power of this.
  private var bits = minimumBits
  /// A part of each hash, at the slot given by the hash's lowest bits or behind it; 0 means empty.
  private var marks = [UInt32](repeating: 0, count: 1 << minimumBits)
  /// The distance of each mark from its slot.
  private var distances = [UInt8](repeating: 0, count: 1 << minimumBits)
  private(set) var count = 0
  /// Whether too many values lie side by side.
  private var isCrowded = false
  /// A random seed, so that no outsider can tell which values lie side by side.
  private let seed = UInt64.random(in: .min ... .max)

  /// Adds the values of a row.
  ///
  /// - Parameters:
  ///   - cells: The values.
  ///   - base: The start of the bytes to which the cells' positions refer; nil when the cells contain addresses.
  /// - Returns: Whether the values are certainly new.
  mutating func insert(
    _ cells: some Sequence<_Cell>, in base: UnsafeRawPointer?
  ) -> Bool {
    guard count < Self.maximumCount, !isCrowded else { return false }
    var hash = seed
    for cell in cells {
      switch cell.kind {
      // Equal to nothing, not even to another NULL.
      case .null: return true
      // An integer may be equal to the real number.
      case .real: return false
      case .integer:
        // Distinguishes the hash from that of a text with these bytes.
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
    if count * 2 > marks.count, !grow() { return false }
    let mark = max(1, UInt32(truncatingIfNeeded: hash >> UInt64(Self.firstMarkBit)))
    return put(mark, at: Int(truncatingIfNeeded: hash) & (marks.count - 1), isNew: false)
  }

  /// - Returns: Whether the mark found a slot and, unless `isNew` is true, wasn't already contained.
  private mutating func put(_ mark: UInt32, at home: Int, isNew: Bool) -> Bool {
    var slot = home
    for distance in 0..<Self.maximumProbeCount {
      if marks[slot] == 0 {
        marks[slot] = mark
        distances[slot] = UInt8(distance)
        count += 1
        return true
      }
      if !isNew, marks[slot] == mark { return false }
      slot = (slot + 1) & (marks.count - 1)
    }
    return false
  }

  /// Doubles the number of slots.
  ///
  /// - Returns: Whether all values found a slot.
  private mutating func grow() -> Bool {
    let (old, oldDistances) = (marks, distances)
    marks = [UInt32](repeating: 0, count: old.count * 2)
    distances = [UInt8](repeating: 0, count: old.count * 2)
    let before = count
    count = 0
    for (slot, mark) in old.enumerated() where mark != 0 {
      let home = (slot - Int(oldDistances[slot])) & (old.count - 1)
      let next = Int(mark >> UInt32(bits - Self.firstMarkBit)) & 1
      _ = put(mark, at: home | next << bits, isNew: true)
    }
    bits += 1
    isCrowded = count != before
    return !isCrowded
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

  /// Mixes a value into the hash: each bit of the value affects each bit of the hash, and no two values give the same
  /// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014: the finalizer of SplitMix64).
  private static func mix(_ value: UInt64, into hash: inout UInt64) {
    hash ^= value
    hash = (hash ^ hash &>> 30) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash &>> 27) &* 0x94D0_49BB_1331_11EB
    hash ^= hash &>> 31
  }
}
