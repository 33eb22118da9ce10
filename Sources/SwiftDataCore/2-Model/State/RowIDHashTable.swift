/// Addresses of objects by row ID: a hash table with open addressing, designed for row IDs that are mostly consecutive.
///
/// Eight consecutive IDs share one entry, a key and one cache line of addresses, so rows that were read in order take
/// 12 to 24 bytes each while the table grows. Entries are spread, because otherwise every look-up of an ID that isn't
/// there would have to walk a long run of occupied places. Removal of the last address of an entry closes the gap, so
/// look-ups never meet tombstones (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithms L and R).
struct RowIDHashTable: ~Copyable {
  private typealias Address = UnsafeRawPointer?

  private static let rowsPerEntry = 8
  /// The offset that turns an entry's number into a key that is never 0, because 0 marks a free place. Numbers have 61
  /// bits.
  private static let keyOffset: Int64 = 1 << 61

  /// The places, each with a key or 0.
  private var keys: UnsafeMutablePointer<Int64>
  /// Eight addresses for each place.
  private var addresses: UnsafeMutablePointer<Address>
  /// The number of places, a power of two, minus one.
  private var mask: Int
  /// The number of occupied places.
  private var entryCount = 0
  private(set) var count = 0

  init() {
    mask = 3
    (keys, addresses) = Self.makePlaces(mask)
  }

  deinit {
    keys.deallocate()
    addresses.deallocate()
  }

  private static func makePlaces(
    _ mask: Int
  ) -> (UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Address>) {
    let keys = UnsafeMutablePointer<Int64>.allocate(capacity: mask + 1)
    keys.initialize(repeating: 0, count: mask + 1)
    // The addresses of a free place stay uninitialized.
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

  /// Returns the place of an entry, or the free one where it would be inserted.
  @inline(__always)
  private func place(of key: Int64) -> Int {
    var place = preferredSlot(key)
    while keys[place] != 0, keys[place] != key { place = (place + 1) & mask }
    return place
  }

  subscript(rowID: Int64) -> UnsafeRawPointer? {
    let place = place(of: Self.key(rowID))
    return keys[place] == 0 ? nil : addresses[place << 3 | Self.position(rowID)]
  }

  mutating func set(_ address: UnsafeRawPointer, for rowID: Int64) {
    let key = Self.key(rowID)
    var place = place(of: key)
    if keys[place] == 0 {
      // At most three quarters full.
      if (entryCount + 1) * 4 > (mask + 1) * 3 {
        resize(to: mask << 1 | 1)
        place = self.place(of: key)
      }
      keys[place] = key
      (addresses + place << 3).initialize(repeating: nil, count: Self.rowsPerEntry)
      entryCount += 1
    }
    let index = place << 3 | Self.position(rowID)
    if addresses[index] == nil { count += 1 }
    addresses[index] = address
  }

  /// - Parameter address: When given, the entry is removed only if it holds this address.
  mutating func remove(_ rowID: Int64, ifAt address: UnsafeRawPointer? = nil) {
    let place = place(of: Self.key(rowID))
    let index = place << 3 | Self.position(rowID)
    guard keys[place] != 0, let found = addresses[index] else { return }
    if let address, address != found { return }
    addresses[index] = nil
    count -= 1
    if isEmpty(place) { close(place) }
  }

  @inline(__always)
  private func isEmpty(_ place: Int) -> Bool {
    let first = addresses + place << 3
    for index in 0..<Self.rowsPerEntry where first[index] != nil { return false }
    return true
  }

  /// Frees the place of an empty entry and moves following entries whose wanted place comes before their current one.
  private mutating func close(_ freed: Int) {
    var gap = freed
    var place = (gap + 1) & mask
    while keys[place] != 0 {
      let wanted = preferredSlot(keys[place])
      // Whether the gap lies between the wanted place and the current one, wrapping around at the end of the table.
      if (place &- wanted) & mask >= (place &- gap) & mask {
        move(place, of: addresses, keys[place], to: gap)
        gap = place
      }
      place = (place + 1) & mask
    }
    keys[gap] = 0
    entryCount -= 1
    // A table whose entries were mostly removed is made smaller, so that walking it costs only what it contains. A
    // small table isn't, because the next fetch may fill it again.
    if mask > 255, entryCount * 8 < mask { resize(to: mask >> 1) }
  }

  private func move(
    _ place: Int, of source: UnsafeMutablePointer<Address>, _ key: Int64, to new: Int
  ) {
    keys[new] = key
    (addresses + new << 3).update(from: source + place << 3, count: Self.rowsPerEntry)
  }

  private mutating func resize(to newMask: Int) {
    let (oldKeys, oldAddresses, oldMask) = (keys, addresses, mask)
    (keys, addresses) = Self.makePlaces(newMask)
    mask = newMask
    for old in 0...oldMask where oldKeys[old] != 0 {
      move(old, of: oldAddresses, oldKeys[old], to: place(of: oldKeys[old]))
    }
    oldKeys.deallocate()
    oldAddresses.deallocate()
  }

  func forEach(_ body: (Int64, UnsafeRawPointer) -> Void) {
    for place in 0...mask where keys[place] != 0 {
      let first = (keys[place] - Self.keyOffset) << 3
      for position in 0..<Self.rowsPerEntry {
        if let address = addresses[place << 3 | position] { body(first | Int64(position), address) }
      }
    }
  }
}
