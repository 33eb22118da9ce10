/// Maps each key to its leaf in a list. Keys are sorted in blocks, so a key takes 12 bytes, however far apart keys are,
/// and copies share the blocks that neither changes.
struct KeyIndex: Sendable {
  private struct Block: Sendable {
    var keys: [Int64]
    var leaves: [Int32]
  }

  /// The maximum number of keys in a block; a larger one is split.
  static let blockSize = 512

  /// The first key of each block.
  private var firsts: [Int64] = []
  private var blocks: [Block] = []

  /// - Parameter entries: Each key once, in any order.
  init(_ entries: [(key: Int64, leaf: Int32)]) {
    var entries = entries
    let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.key < $1.key }
    if !isSorted { entries.sort { $0.key < $1.key } }
    for start in stride(from: 0, to: entries.count, by: Self.blockSize) {
      let part = entries[start..<min(start + Self.blockSize, entries.count)]
      firsts.append(part[start].key)
      blocks.append(Block(keys: part.map(\.key), leaves: part.map(\.leaf)))
    }
  }

  subscript(key: Int64) -> Int32? {
    guard let block = block(of: key) else { return nil }
    let place = Self.index(of: key, in: blocks[block].keys)
    guard place < blocks[block].keys.count, blocks[block].keys[place] == key else { return nil }
    return blocks[block].leaves[place]
  }

  /// Records the leaf of a key, whether or not the key was there before.
  mutating func set(_ key: Int64, to leaf: Int32) {
    guard let block = block(of: key) ?? (blocks.isEmpty ? nil : 0) else {
      firsts = [key]
      blocks = [Block(keys: [key], leaves: [leaf])]
      return
    }
    let place = Self.index(of: key, in: blocks[block].keys)
    if place < blocks[block].keys.count, blocks[block].keys[place] == key {
      blocks[block].leaves[place] = leaf
      return
    }
    blocks[block].keys.insert(key, at: place)
    blocks[block].leaves.insert(leaf, at: place)
    firsts[block] = blocks[block].keys[0]
    if blocks[block].keys.count > Self.blockSize { split(block) }
  }

  mutating func remove(_ key: Int64) {
    guard let block = block(of: key) else { return }
    let place = Self.index(of: key, in: blocks[block].keys)
    guard place < blocks[block].keys.count, blocks[block].keys[place] == key else { return }
    blocks[block].keys.remove(at: place)
    blocks[block].leaves.remove(at: place)
    if let first = blocks[block].keys.first {
      firsts[block] = first
    } else {
      blocks.remove(at: block)
      firsts.remove(at: block)
    }
  }

  private mutating func split(_ block: Int) {
    let middle = blocks[block].keys.count / 2
    let upper = Block(
      keys: Array(blocks[block].keys[middle...]), leaves: Array(blocks[block].leaves[middle...]))
    blocks[block].keys.removeSubrange(middle...)
    blocks[block].leaves.removeSubrange(middle...)
    blocks.insert(upper, at: block + 1)
    firsts.insert(upper.keys[0], at: block + 1)
  }

  /// The block that would hold a key; nil when the key comes before all blocks.
  private func block(of key: Int64) -> Int? {
    let next = Self.index(after: key, in: firsts)
    return next == 0 ? nil : next - 1
  }

  /// The place of the first key that isn't smaller.
  private static func index(of key: Int64, in keys: [Int64]) -> Int {
    BinarySearch.first(in: 0..<keys.count) { keys[$0] >= key }
  }

  private static func index(after key: Int64, in keys: [Int64]) -> Int {
    BinarySearch.first(in: 0..<keys.count) { keys[$0] > key }
  }
}

enum BinarySearch {
  /// The first position for which `holds` returns true; the end of `range` when there is none. Once true, it must be
  /// true for all later positions.
  static func first(in range: Range<Int>, where holds: (Int) -> Bool) -> Int {
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
