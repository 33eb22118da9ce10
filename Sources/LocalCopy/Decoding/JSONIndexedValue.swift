import WireFormats

/// The bytes of a value with their index, shared by all decoders and containers of the value.
///
/// Positions are positions on the tape; a negative position stands for a missing member.
final class JSONIndexedValue {
  typealias Entry = JSONTape.Entry

  private let bytes: UnsafePointer<UInt8>
  private let entries: UnsafePointer<Entry>
  /// The number of entries that may be read: zero after the value has expired.
  private var count: Int
  let options: JSONDecodingOptions
  private let hasBrokenKey: Bool
  /// The path of the last coding-path search, level by level. User code that determines types by
  /// trying asks for a path at each element of an array: without this cache, it would take time
  /// quadratic in the array's length.
  private var trail: [(container: Int, child: Int, index: Int)] = []

  init(_ bytes: UnsafePointer<UInt8>, _ tape: JSONTape, _ options: JSONDecodingOptions) {
    self.bytes = bytes
    self.options = options
    entries = tape.entries
    count = tape.count
    hasBrokenKey = tape.hasBrokenKey
  }

  /// Prevents further reading: the bytes and the index are about to be reused.
  func expire() { count = 0 }

  /// The entry at a position; a null entry for an absent or expired value.
  @inline(__always)
  func entry(_ position: Int) -> Entry {
    guard position >= 0, position < count else {
      return Entry(offset: 0, end: 0, next: 0, kind: .null, marks: [])
    }
    return entries[position]
  }

  /// The text of a string, a key or a number.
  @inline(__always)
  func text(_ entry: Entry) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: bytes + Int(entry.offset), count: Int(entry.end) - Int(entry.offset))
  }

  // MARK: Members

  /// Returns the position of a key's value in an object, or nil. The first of several equal keys
  /// counts.
  @inline(__always)
  func find(_ key: String, in object: Int) -> Int? {
    var key = key
    return key.withUTF8 { wanted -> Int? in
      var position = object + 1
      var remaining = Int(entry(object).end)
      while remaining > 0 {
        let candidate = entries[position]
        let length = Int(candidate.end) - Int(candidate.offset)
        if candidate.marks.contains(.escaped) {
          let name = JSONText.string(text(candidate), candidate.marks)
          if let name, name.utf8.elementsEqual(wanted) { return position + 1 }
        } else if length == wanted.count,
          matches(bytes + Int(candidate.offset), wanted.baseAddress, length)
        {
          return position + 1
        }
        position = Int(entries[position + 1].next)
        remaining -= 1
      }
      return nil
    }
  }

  @inline(__always)
  private func matches(
    _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>?, _ length: Int
  ) -> Bool {
    guard let right else { return length == 0 }
    for i in 0..<length where left[i] != right[i] { return false }
    return true
  }

  /// The positions of the keys of an object, in document order.
  func keyPositions(of object: Int) -> [Int] {
    var positions: [Int] = []
    var position = object + 1
    let members = Int(entry(object).end)
    positions.reserveCapacity(members)
    for _ in 0..<members {
      positions.append(position)
      position = Int(entries[position + 1].next)
    }
    return positions
  }

  /// The text of the key at a position.
  func key(at position: Int) -> String {
    let key = entry(position)
    return JSONText.lossyString(text(key), key.marks)
  }

  /// Rejects objects with keys that no Swift string can represent.
  func checkKeys(of object: Int) throws {
    guard hasBrokenKey else { return }
    for position in keyPositions(of: object)
    where entry(position).marks.contains(.loneSurrogate) {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: codingPath(to: object),
          debugDescription: "A key has an escaped surrogate without its partner."))
    }
  }

  // MARK: Coding paths

  /// Returns the keys and indices that lead to a position. They are found by walking the tape, so
  /// decoding without an error costs nothing extra.
  func codingPath(to target: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var container = 0
    while container < target, target < count {
      let isObject = entries[container].kind == .object
      var (child, index) = lastChild(of: container, level: path.count, notAfter: target)
      while true {
        let value = isObject ? child + 1 : child
        guard value < count else { return path }
        if target < Int(entries[value].next) {
          note(container, child, index, level: path.count)
          path.append(isObject ? JSONKey(key(at: child)) : JSONKey(index: index))
          container = value
          break
        }
        child = Int(entries[value].next)
        index += 1
      }
    }
    return path
  }

  /// Returns the child of a container at which the search starts.
  private func lastChild(
    of container: Int, level: Int, notAfter target: Int
  ) -> (child: Int, index: Int) {
    guard level < trail.count, trail[level].container == container,
      trail[level].child <= target
    else { return (container + 1, 0) }
    return (trail[level].child, trail[level].index)
  }

  private func note(_ container: Int, _ child: Int, _ index: Int, level: Int) {
    if level < trail.count {
      // The deeper levels stay valid as long as the path to them is the same.
      if trail[level].container == container, trail[level].child == child { return }
      trail.removeLast(trail.count - level)
    }
    trail.append((container, child, index))
  }
}

/// A key or an index in the path to a value.
struct JSONKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ key: String) {
    stringValue = key
    intValue = nil
  }

  init(index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { self.init(index: intValue) }
}
