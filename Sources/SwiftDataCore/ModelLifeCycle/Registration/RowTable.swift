/// Addresses of objects by row id: a hash table with open addressing, made for row ids that mostly follow each other.
///
/// Four such ids lie side by side in it, one cache line of most processors; fours are spread, because a long run of
/// occupied slots would have to be walked by every removal and by every look-up of an id that isn't there. Removal closes
/// the gap, so look-ups never meet remains (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithms L
/// and R).
struct RowTable: ~Copyable {
  private struct Slot {
    var rowID: Int64
    var address: UnsafeRawPointer?
  }

  private var slots: UnsafeMutablePointer<Slot>
  /// The number of slots, a power of two, less one.
  private var mask: Int
  private(set) var count = 0

  init() {
    mask = 15
    slots = Self.makeSlots(mask)
  }

  deinit { slots.deallocate() }

  private static func makeSlots(_ mask: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: mask + 1)
    slots.initialize(repeating: Slot(rowID: 0, address: nil), count: mask + 1)
    return slots
  }

  @inline(__always)
  private func home(_ rowID: Int64) -> Int {
    // The golden ratio spreads what is multiplied by its fraction (Knuth, the same section).
    let four = UInt64(bitPattern: rowID >> 2) &* 0x9E37_79B9_7F4A_7C15 >> 32
    return Int(truncatingIfNeeded: four << 2 | UInt64(bitPattern: rowID & 3)) & mask
  }

  subscript(rowID: Int64) -> UnsafeRawPointer? {
    var index = home(rowID)
    while let address = slots[index].address {
      if slots[index].rowID == rowID { return address }
      index = (index + 1) & mask
    }
    return nil
  }

  mutating func set(_ address: UnsafeRawPointer, for rowID: Int64) {
    // At most half full.
    if (count + 1) * 2 > mask + 1 { resize(to: mask << 1 | 1) }
    var index = home(rowID)
    while slots[index].address != nil {
      if slots[index].rowID == rowID {
        slots[index].address = address
        return
      }
      index = (index + 1) & mask
    }
    slots[index] = Slot(rowID: rowID, address: address)
    count += 1
  }

  /// - Parameter address: Only this one is removed, when given.
  mutating func remove(_ rowID: Int64, ifAt address: UnsafeRawPointer? = nil) {
    var index = home(rowID)
    while let found = slots[index].address {
      if slots[index].rowID == rowID {
        if let address, address != found { return }
        return close(index)
      }
      index = (index + 1) & mask
    }
  }

  /// Empties a slot and moves those behind it that wanted a place before theirs.
  private mutating func close(_ emptied: Int) {
    var gap = emptied
    var index = (gap + 1) & mask
    while slots[index].address != nil {
      let wanted = home(slots[index].rowID)
      // Whether the gap lies between the wanted place and the present one, round the end of the table.
      if (index &- wanted) & mask >= (index &- gap) & mask {
        slots[gap] = slots[index]
        gap = index
      }
      index = (index + 1) & mask
    }
    slots[gap].address = nil
    count -= 1
    // A table that many have left is made smaller, so that walking it costs what is in it.
    if mask > 15, count * 8 < mask { resize(to: mask >> 1) }
  }

  private mutating func resize(to newMask: Int) {
    let old = slots
    let oldMask = mask
    slots = Self.makeSlots(newMask)
    mask = newMask
    for position in 0...oldMask where old[position].address != nil {
      var index = home(old[position].rowID)
      while slots[index].address != nil { index = (index + 1) & mask }
      slots[index] = old[position]
    }
    old.deallocate()
  }

  func forEach(_ body: (Int64, UnsafeRawPointer) -> Void) {
    for position in 0...mask {
      if let address = slots[position].address { body(slots[position].rowID, address) }
    }
  }
}
