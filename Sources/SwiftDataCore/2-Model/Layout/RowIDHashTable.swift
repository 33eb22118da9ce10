/// Addresses of objects by row ID: a hash table with open addressing, designed for row IDs that are mostly consecutive.
///
/// Eight consecutive IDs share one entry, a key and one cache line of addresses, so rows that were read in order take
/// 12 to 24 bytes each while the table grows. Entries are spread, because otherwise every look-up of an ID that isn't
/// there would have to walk a long run of occupied slots. Removal of the last address of an entry closes the gap, so
/// look-ups never meet tombstones (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithms L and R).
struct RowIDHashTable: ~Copyable {
  typealias Value = UnsafeRawPointer
  private typealias Address = UnsafeRawPointer?

  private static let rowsPerEntry = 8
  /// The offset that turns an entry's number into a key that is never 0, because 0 marks a free slot. Numbers have 61
  /// bits.
  private static let keyOffset: Int64 = 1 << 61

  /// The slots, each with a key or 0.
  private var keys: UnsafeMutablePointer<Int64>
  /// Eight addresses for each slot.
  private var addresses: UnsafeMutablePointer<Address>
  /// The number of slots, a power of two, minus one.
  private var mask: Int
  /// The number of occupied slots.
  private var entryCount = 0
  private(set) var count = 0

  init() {
    mask = 3
    (keys, addresses) = Self.makeSlots(mask)
  }

  deinit {
    keys.deallocate()
    addresses.deallocate()
  }

  private static func makeSlots(
    _ mask: Int
  ) -> (UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Address>) {
    let keys = UnsafeMutablePointer<Int64>.allocate(capacity: mask + 1)
    keys.initialize(repeating: 0, count: mask + 1)
    // The addresses of a free slot stay uninitialized.
    return (keys, .allocate(capacity: (mask + 1) * rowsPerEntry))
  }

  @inline(__always)
  private static func key(_ rowID: Int64) -> Int64 { rowID >> 3 + keyOffset }

  @inline(__always)
  private static func position(_ rowID: Int64) -> Int { Int(truncatingIfNeeded: rowID & 7) }

  @inline(__always)
  private func preferredSlot(_ key: Int64) -> Int {
    // Multiplying by the fraction of the golden ratio spreads the keys (Knuth, the same section).
    let spread = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15 >> 32
    return Int(truncatingIfNeeded: spread) & mask
  }

  /// Returns the slot of an entry, or the free one where it would be inserted.
  @inline(__always)
  private func slot(of key: Int64) -> Int {
    var slot = preferredSlot(key)
    while keys[slot] != 0, keys[slot] != key { slot = (slot + 1) & mask }
    return slot
  }

  subscript(rowID: Int64) -> UnsafeRawPointer? {
    let slot = slot(of: Self.key(rowID))
    return keys[slot] == 0 ? nil : addresses[slot << 3 | Self.position(rowID)]
  }

  mutating func set(_ address: UnsafeRawPointer, for rowID: Int64) {
    let key = Self.key(rowID)
    var slot = slot(of: key)
    if keys[slot] == 0 {
      // At most three quarters full.
      if (entryCount + 1) * 4 > (mask + 1) * 3 {
        resize(to: mask << 1 | 1)
        slot = self.slot(of: key)
      }
      keys[slot] = key
      (addresses + slot << 3).initialize(repeating: nil, count: Self.rowsPerEntry)
      entryCount += 1
    }
    let index = slot << 3 | Self.position(rowID)
    if addresses[index] == nil { count += 1 }
    addresses[index] = address
  }

  /// - Parameter address: When given, the entry is removed only if it holds this address.
  mutating func remove(_ rowID: Int64, ifAt address: UnsafeRawPointer? = nil) {
    let slot = slot(of: Self.key(rowID))
    let index = slot << 3 | Self.position(rowID)
    guard keys[slot] != 0, let found = addresses[index] else { return }
    if let address, address != found { return }
    addresses[index] = nil
    count -= 1
    if isEmpty(slot) { close(slot) }
  }

  @inline(__always)
  private func isEmpty(_ slot: Int) -> Bool {
    let first = addresses + slot << 3
    for index in 0..<Self.rowsPerEntry where first[index] != nil { return false }
    return true
  }

  /// Frees the slot of an empty entry and moves following entries whose wanted slot comes before their current one.
  private mutating func close(_ freed: Int) {
    var gap = freed
    var slot = (gap + 1) & mask
    while keys[slot] != 0 {
      let wanted = preferredSlot(keys[slot])
      // Whether the gap lies between the wanted slot and the current one, wrapping around at the end of the table.
      if (slot &- wanted) & mask >= (slot &- gap) & mask {
        move(slot, of: addresses, keys[slot], to: gap)
        gap = slot
      }
      slot = (slot + 1) & mask
    }
    keys[gap] = 0
    entryCount -= 1
    // A table whose entries were mostly removed is made smaller, so that walking it costs only what it contains. A
    // small table isn't, because the next fetch may fill it again.
    if mask > 255, entryCount * 8 < mask { resize(to: mask >> 1) }
  }

  private func move(
    _ slot: Int, of source: UnsafeMutablePointer<Address>, _ key: Int64, to new: Int
  ) {
    keys[new] = key
    (addresses + new << 3).update(from: source + slot << 3, count: Self.rowsPerEntry)
  }

  private mutating func resize(to newMask: Int) {
    let (oldKeys, oldAddresses, oldMask) = (keys, addresses, mask)
    (keys, addresses) = Self.makeSlots(newMask)
    mask = newMask
    for old in 0...oldMask where oldKeys[old] != 0 {
      move(old, of: oldAddresses, oldKeys[old], to: slot(of: oldKeys[old]))
    }
    oldKeys.deallocate()
    oldAddresses.deallocate()
  }

  func forEach(_ body: (Int64, UnsafeRawPointer) -> Void) {
    for slot in 0...mask where keys[slot] != 0 {
      let first = (keys[slot] - Self.keyOffset) << 3
      for position in 0..<Self.rowsPerEntry {
        if let address = addresses[slot << 3 | position] { body(first | Int64(position), address) }
      }
    }
  }
}
