/// The keys of a live list in order: the row ids of its models, and negative numbers for models without a row.
///
/// The keys are in leaves of at most ``leafSize``. A leaf is never changed: an edit makes another one with the same
/// number, and copies of a list share the leaves that neither has edited. A key takes 8 bytes, and 12 more from the
/// first edit on, when an index of the keys is needed.
struct KeyList: Sendable {
  final class Leaf: Sendable {
    /// The number, which stays the same while the leaf's keys change.
    let number: Int
    let keys: [Int64]

    init(number: Int, keys: [Int64]) {
      self.number = number
      self.keys = keys
    }
  }

  /// The maximum number of keys in a leaf, whose models are loaded together.
  static let leafSize = 256
  /// The maximum number of keys of two neighbours that are merged into one leaf.
  private static let mergedSize = leafSize * 3 / 4

  private(set) var leaves: [Leaf] = []
  private(set) var count = 0
  /// The position of the first key of each leaf.
  private var starts: [Int] = []
  /// The place among the leaves of each leaf number; -1 for a number without a leaf.
  private var leafPositions: [Int] = []
  /// The number of each key's leaf; made when it is first needed.
  private var index: KeyIndex?

  init(_ keys: [Int64] = []) {
    for start in stride(from: 0, to: keys.count, by: Self.leafSize) {
      let end = min(start + Self.leafSize, keys.count)
      leaves.append(Leaf(number: leaves.count, keys: Array(keys[start..<end])))
    }
    leafPositions = Array(repeating: -1, count: leaves.count)
    renumber()
  }

  /// All keys in order.
  var keys: some Sequence<Int64> { leaves.lazy.flatMap(\.keys) }

  // MARK: - Looking up

  /// - Precondition: `position` is at least 0 and less than ``count``.
  subscript(position: Int) -> Int64 {
    let (leaf, offset) = location(of: position)
    return leaf.keys[offset]
  }

  func location(of position: Int) -> (leaf: Leaf, offset: Int) {
    let place = self.leafPosition(of: position)
    return (leaves[place], position - starts[place])
  }

  private func leafPosition(of position: Int) -> Int {
    BinarySearch.first(in: 0..<starts.count) { starts[$0] > position } - 1
  }

  /// The current leaf with a number.
  func leaf(_ number: Int) -> Leaf? {
    guard leafPositions.indices.contains(number), leafPositions[number] >= 0 else { return nil }
    return leaves[leafPositions[number]]
  }

  /// The leaf that holds a key, and the key's place in it.
  func location(of key: Int64) -> (leaf: Leaf, offset: Int)? {
    if let index {
      guard let number = index[key], let leaf = leaf(Int(number)),
        let offset = leaf.keys.firstIndex(of: key)
      else { return nil }
      return (leaf, offset)
    }
    for leaf in leaves {
      if let offset = leaf.keys.firstIndex(of: key) { return (leaf, offset) }
    }
    return nil
  }

  /// The position of a key; nil when the list doesn't have it.
  func position(of key: Int64) -> Int? {
    location(of: key).map { starts[leafPositions[$0.leaf.number]] + $0.offset }
  }

  var isIndexed: Bool { index != nil }

  /// Makes the index, which speeds up looking up keys but takes memory.
  mutating func makeIndex() {
    guard index == nil else { return }
    var entries: [(key: Int64, leaf: Int32)] = []
    entries.reserveCapacity(count)
    for leaf in leaves {
      for key in leaf.keys { entries.append((key, Int32(truncatingIfNeeded: leaf.number))) }
    }
    index = KeyIndex(entries)
  }

  // MARK: - Editing

  /// Removes keys; keys that aren't in the list are ignored.
  mutating func remove(_ keys: some Sequence<Int64>) {
    makeIndex()
    var removed: [Int: [Int64]] = [:]
    for key in keys {
      guard let number = index?[key] else { continue }
      removed[leafPositions[Int(number)], default: []].append(key)
      index?.remove(key)
    }
    guard !removed.isEmpty else { return }
    var edited: [Leaf] = []
    edited.reserveCapacity(leaves.count)
    var next = 0
    for (place, gone) in removed.sorted(by: { $0.key < $1.key }) {
      edited += leaves[next..<place]
      append(leaves[place].keys.filter { !gone.contains($0) }, of: leaves[place], to: &edited)
      next = place + 1
    }
    leaves = edited + leaves[next...]
    renumber()
  }

  /// Appends the remaining keys of a leaf; merges them into its neighbour when both are small.
  private mutating func append(_ keys: [Int64], of leaf: Leaf, to edited: inout [Leaf]) {
    if let last = edited.last, last.keys.count + keys.count <= Self.mergedSize {
      for key in keys { index?.set(key, to: Int32(truncatingIfNeeded: last.number)) }
      edited[edited.count - 1] = Leaf(number: last.number, keys: last.keys + keys)
    } else if !keys.isEmpty {
      edited.append(Leaf(number: leaf.number, keys: keys))
    }
  }

  /// Inserts keys.
  ///
  /// - Parameter insertions: Keys that aren't in the list yet, each with the position in the current list in front of
  ///   which it is inserted; positions don't decrease.
  mutating func insert(_ insertions: [(position: Int, key: Int64)]) {
    guard !insertions.isEmpty else { return }
    makeIndex()
    if leaves.isEmpty {
      leaves = [Leaf(number: leafPositions.count, keys: [])]
      leafPositions.append(0)
      starts = [0]
    }
    var byLeaf: [Int: [(position: Int, key: Int64)]] = [:]
    for insertion in insertions {
      byLeaf[leafPosition(of: insertion.position), default: []].append(insertion)
    }
    var edited: [Leaf] = []
    edited.reserveCapacity(leaves.count + byLeaf.count)
    var next = 0
    for (place, inserted) in byLeaf.sorted(by: { $0.key < $1.key }) {
      edited += leaves[next..<place]
      appendParts(of: leaves[place], with: inserted, start: starts[place], to: &edited)
      next = place + 1
    }
    leaves = edited + leaves[next...]
    renumber()
  }

  private static func merged(
    _ keys: [Int64], _ inserted: [(position: Int, key: Int64)], start: Int
  ) -> [Int64] {
    var merged: [Int64] = []
    merged.reserveCapacity(keys.count + inserted.count)
    var next = 0
    for (position, key) in inserted {
      let end = min(max(position - start, next), keys.count)
      merged += keys[next..<end]
      merged.append(key)
      next = end
    }
    return merged + keys[next...]
  }

  /// Appends a leaf with new keys, as several leaves of equal size when it has too many keys for one.
  private mutating func appendParts(
    of leaf: Leaf, with inserted: [(position: Int, key: Int64)], start: Int,
    to edited: inout [Leaf]
  ) {
    let keys = Self.merged(leaf.keys, inserted, start: start)
    for (_, key) in inserted { index?.set(key, to: Int32(truncatingIfNeeded: leaf.number)) }
    let parts =
      keys.count <= Self.leafSize ? 1 : (keys.count + Self.mergedSize - 1) / Self.mergedSize
    for part in 0..<parts {
      let range = keys.count * part / parts..<keys.count * (part + 1) / parts
      var number = leaf.number
      if part > 0 {
        number = leafPositions.count
        leafPositions.append(-1)
        for key in keys[range] { index?.set(key, to: Int32(truncatingIfNeeded: number)) }
      }
      edited.append(Leaf(number: number, keys: Array(keys[range])))
    }
  }

  private mutating func renumber() {
    for place in leafPositions.indices { leafPositions[place] = -1 }
    starts.removeAll(keepingCapacity: true)
    count = 0
    for (place, leaf) in leaves.enumerated() {
      starts.append(count)
      leafPositions[leaf.number] = place
      count += leaf.keys.count
    }
  }

  /// Whether the conditions hold that every edit must preserve: numbers, starts and the index match the positions of
  /// the keys.
  var isConsistent: Bool {
    var position = 0
    for (place, leaf) in leaves.enumerated() {
      guard !leaf.keys.isEmpty, leaf.keys.count <= Self.leafSize, starts[place] == position,
        leafPositions[leaf.number] == place
      else { return false }
      for key in leaf.keys where index != nil {
        guard index?[key] == Int32(truncatingIfNeeded: leaf.number) else { return false }
      }
      position += leaf.keys.count
    }
    return position == count && starts.count == leaves.count
  }
}
