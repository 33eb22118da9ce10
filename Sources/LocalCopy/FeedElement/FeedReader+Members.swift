import WireFormats

/// The keys of a structure's members, prepared for lookup.
///
/// They are created once for a type and never freed.
public struct _FeedKeys: @unchecked Sendable {
  /// The maximum number of keys; objects of structures with more members are left to the general decoder.
  private static let maximumCount = 64

  struct Key {
    /// The first eight bytes of the key and the quotation mark behind it; the first byte is the lowest.
    var word: UInt64
    /// The significant bits of `word`.
    var mask: UInt64
    var length: Int
    var bytes: UnsafePointer<UInt8>

    @inline(__always)
    func begins(_ word: UInt64) -> Bool { word & mask == self.word }
  }

  let keys: UnsafePointer<Key>
  let count: Int
  /// A bit for each key, indexed by the key's length modulo 64.
  let byLength: UnsafePointer<UInt64>
  /// Whether keys can be found by their bytes; if not, every object is left to the general decoder.
  let isUsable: Bool

  /// Creates the keys of a structure.
  /// - Parameter codingKeys: the keys, in the order of the properties.
  public init(_ codingKeys: [any CodingKey]) {
    let names = codingKeys.map { Array($0.stringValue.utf8) }
    let keys = UnsafeMutablePointer<Key>.allocate(capacity: max(1, names.count))
    let byLength = UnsafeMutablePointer<UInt64>.allocate(capacity: 64)
    byLength.initialize(repeating: 0, count: 64)
    for (index, name) in names.enumerated() {
      let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: name.count + 1)
      for (i, byte) in (name + [UInt8(ascii: "\"")]).enumerated() {
        (bytes + i).initialize(to: byte)
      }
      let looked = min(8, name.count + 1)
      var word: UInt64 = 0
      for i in 0..<looked { word |= UInt64(bytes[i]) &<< (8 * UInt64(i)) }
      (keys + index).initialize(
        to: Key(
          word: word, mask: UInt64.max &>> (64 - 8 * UInt64(looked)), length: name.count,
          bytes: bytes))
      byLength[name.count & 63] |= 1 &<< UInt64(index & 63)
    }
    self.keys = UnsafePointer(keys)
    self.byLength = UnsafePointer(byLength)
    count = names.count
    isUsable =
      names.count <= Self.maximumCount && Set(names).count == names.count
      && names.allSatisfy { $0.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C } }
  }

  /// Returns the index of the key whose bytes, with the quotation mark behind them, start the word; or -1.
  @inline(__always)
  func find(_ word: UInt64, _ length: Int) -> Int {
    var candidates = byLength[length]
    while candidates != 0 {
      let index = candidates.trailingZeroBitCount
      if keys[index].begins(word), keys[index].length == length { return index }
      candidates &= candidates &- 1
    }
    return -1
  }

  /// Returns the index of the key with these bytes, or -1.
  @inline(__always)
  func find(_ start: UnsafePointer<UInt8>, _ length: Int) -> Int {
    var candidates = byLength[length & 63]
    while candidates != 0 {
      let index = candidates.trailingZeroBitCount
      if keys[index].length == length, isEqual(keys[index].bytes, start, length) { return index }
      candidates &= candidates &- 1
    }
    return -1
  }

  @inline(__always)
  private func isEqual(
    _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ length: Int
  ) -> Bool {
    var i = 0
    while i < length {
      if left[i] != right[i] { return false }
      i &+= 1
    }
    return true
  }
}

/// The reader's position among the members of an object.
public struct _FeedMembers {
  let keys: _FeedKeys
  /// The key that comes next if the members have the order of the properties.
  var expected = 0
  var isFirst = true
  /// A bit for each key that has been read.
  var seen: UInt64 = 0
}

extension _FeedReader {
  /// Starts an object.
  /// - Parameter keys: the keys of the requested members.
  public mutating func beginObject(_ keys: _FeedKeys) throws(_FeedMismatch) -> _FeedMembers {
    guard keys.isUsable else { throw .object }
    try json.open(UInt8(ascii: "{"), else: .object)
    return _FeedMembers(keys: keys)
  }

  /// Advances to the value of the next requested member.
  /// - Returns: the index of its key, or -1 at the end of the object.
  public mutating func nextMember(_ members: inout _FeedMembers) throws(_FeedMismatch) -> Int {
    while true {
      json.skipBlanks()
      var next = try json.byte()
      if next == UInt8(ascii: "}") {
        json.close()
        return -1
      }
      if members.isFirst {
        members.isFirst = false
      } else {
        guard next == UInt8(ascii: ",") else { throw .endOfObject }
        json.position += 1
        json.skipBlanks()
        next = try json.byte()
      }
      guard next == UInt8(ascii: "\"") else { throw .memberName }
      json.position += 1
      let index = try takeKey(members.keys, members.expected)
      json.skipBlanks()
      try json.take(UInt8(ascii: ":"), else: .colon)
      json.skipBlanks()
      if index >= 0 {
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index)
        guard members.seen & bit == 0 else { throw .uniqueName }
        members.seen |= bit
        members.expected = index &+ 1
        return index
      }
      try json.skipValue()
    }
  }

  /// Reads a key after its opening quotation mark: with one comparison when it is the expected key.
  /// - Returns: the index of the key, or -1 for a member that isn't requested.
  @inline(__always)
  private mutating func takeKey(
    _ keys: _FeedKeys, _ expected: Int
  ) throws(_FeedMismatch) -> Int {
    if json.end - json.position >= 8 {
      let word = UInt64(
        littleEndian: UnsafeRawPointer(json.position).loadUnaligned(as: UInt64.self))
      if expected < keys.count, keys.keys[expected].begins(word), takeRest(of: keys.keys + expected)
      {
        return expected
      }
      // A key of at most seven bytes is contained in the word, with the quotation mark behind it.
      let special = JSONCursor.specialBytes(of: word)
      let length = special.trailingZeroBitCount &>> 3
      if special != 0, json.position[length] == UInt8(ascii: "\"") {
        json.position += length &+ 1
        return keys.find(word, length)
      }
    }
    let start = json.position
    let form = try json.skipString()
    let length = json.position - 1 - start
    return form == .plain
      ? keys.find(start, length)
      : try findSpecial(UnsafeBufferPointer(start: start, count: length), form, in: keys)
  }

  /// Looks up a key with escapes.
  @inline(never)
  private func findSpecial(
    _ text: UnsafeBufferPointer<UInt8>, _ form: JSONCursor.StringForm, in keys: _FeedKeys
  ) throws(_FeedMismatch) -> Int {
    guard form == .escaped else { throw .character }
    var name = JSONText.unescaped(text)
    return name.withUTF8 { bytes in
      bytes.baseAddress.map { keys.find($0, bytes.count) } ?? -1
    }
  }

  /// Reads a key whose first eight bytes match, and the quotation mark, if the remaining bytes match.
  @inline(__always)
  private mutating func takeRest(of key: UnsafePointer<_FeedKeys.Key>) -> Bool {
    let length = key.pointee.length
    if length >= 8 {
      guard json.end - json.position > length else { return false }
      var i = 8
      while i <= length {
        if json.position[i] != key.pointee.bytes[i] { return false }
        i &+= 1
      }
    }
    json.position += length &+ 1
    return true
  }
}
