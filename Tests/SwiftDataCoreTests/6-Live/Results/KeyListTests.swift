import TestSupport
import Testing

@testable import SwiftDataCore

@Suite("A list of keys")
struct KeyListTests {
  @Test("is an array with insertions and removals", arguments: [0, 1, 5, 256, 257, 1_000, 5_000])
  func arrays(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    var expected = (0..<Int64(count)).map { $0 * 7 }.shuffled(using: &random)
    var list = KeyList(expected)
    var next = Int64(count) * 7 + 1
    for round in 0..<60 {
      let copy = list
      let before = expected
      if round.isMultiple(of: 2) {
        let gone = expected.shuffled(using: &random).prefix(Int.random(in: 0...80, using: &random))
        list.remove(Array(gone) + [-1])
        expected.removeAll(where: gone.contains)
      } else {
        let isLocal = round.isMultiple(of: 3)
        let positions = (0..<Int.random(in: 1...(round % 4 == 1 ? 400 : 3), using: &random)).map {
          _ in
          isLocal ? expected.count / 2 : Int.random(in: 0...expected.count, using: &random)
        }.sorted()
        let insertions = positions.enumerated().map { ($1, next + Int64($0)) }
        next += Int64(positions.count)
        list.insert(insertions)
        for (offset, insertion) in insertions.enumerated() {
          expected.insert(insertion.1, at: insertion.0 + offset)
        }
      }
      #expect(list.isConsistent)
      #expect(Array(list.keys) == expected)
      #expect(Array(copy.keys) == before, "A copy has changed.")
      #expect(expected.indices.allSatisfy { list[$0] == expected[$0] })
      for position in stride(from: 0, to: expected.count, by: 37) {
        #expect(list.position(of: expected[position]) == position)
      }
      #expect(list.position(of: -1) == nil)
    }
  }

  @Test("finds keys before and after it has an index")
  func index() {
    var list = KeyList([5, 3, 9])
    #expect(!list.isIndexed)
    #expect(list.position(of: 9) == 2)
    #expect(list.position(of: 4) == nil)
    list.makeIndex()
    #expect(list.isIndexed)
    #expect(list.position(of: 3) == 1)
    #expect(list.position(of: 4) == nil)
  }

  @Test("keeps the leaves that an edit doesn't reach, and no small ones")
  func leaves() {
    var list = KeyList(Array(0..<2_560))
    let before = list.leaves
    list.insert([(1_000, 10_000)])
    #expect(list.leaves.count == 11)
    #expect(list.leaves.count { leaf in before.contains { $0 === leaf } } == 9)
    list.remove((0..<2_560).filter { !$0.isMultiple(of: 100) })
    #expect(list.leaves.count == 1)
    list.remove(Array(list.keys))
    #expect(list.leaves.isEmpty && list.count == 0)
    list.insert([(0, 1), (0, 2)])
    #expect(Array(list.keys) == [1, 2])
  }
}

@Suite("Places in a list that only a store can compare")
struct PositionSearchTests {
  @Test("are found for any rows", arguments: [0, 1, 2, 100, 10_000])
  func places(count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count) + 1)
    // The order is independent of the keys.
    var values: [Int64: Double] = [:]
    for key in 0..<Int64(count + 300) { values[key] = .random(in: 0..<1, using: &random) }
    func order(_ keys: [Int64]) -> [Int64] {
      keys.sorted { (values[$0] ?? 0, $0) < (values[$1] ?? 0, $1) }
    }
    let list = KeyList(order(Array(0..<Int64(count))))
    for number in [1, 7, 300] {
      let rows = order((0..<Int64(number)).map { Int64(count) + $0 })
      var asked = 0
      let found = PositionSearch.positions(of: rows, in: list) { keys in
        asked += keys.count
        return order(keys.shuffled(using: &random))
      }
      let places = try #require(found)
      var later = list
      later.insert(Array(zip(places, rows)))
      #expect(Array(later.keys) == order(Array(list.keys) + rows))
      #expect(asked <= 1_500 + number * 80, "\(asked) rows for \(number) in \(count)")
    }
  }

  @Test("aren't found where the list is in another order, or has rows that the store doesn't")
  func strangers() {
    let list = KeyList(Array(0..<500).reversed())
    #expect(PositionSearch.positions(of: [1_000], in: list) { $0.sorted() } == nil)
    let gone = KeyList(Array(0..<500))
    #expect(
      PositionSearch.positions(of: [1_000], in: gone) { $0.filter { $0 > 400 }.sorted() } == nil)
  }
}

@Suite("Sections of a list")
struct SectionSpansTests {
  @Test("are those of the titles in order, after any edit")
  func edits() throws {
    var random = SeededGenerator(seed: 9)
    var titles = (0..<200).map { _ in "\(Int.random(in: 0..<9, using: &random))" }.sorted()
    var spans = SectionSpans(titles)
    for _ in 0..<300 {
      let gone = Set(
        (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
          titles.indices.randomElement(using: &random)
        })
      spans = spans.removing(gone.sorted())
      titles = titles.indices.filter { !gone.contains($0) }.map { titles[$0] }
      let new = (0..<Int.random(in: 0...6, using: &random))
        .map { _ in "\(Int.random(in: 0..<20, using: &random))" }.sorted()
      let places = new.map { title in titles.firstIndex { $0 > title } ?? titles.count }
      spans = try #require(spans.inserting(Array(zip(places, new))))
      titles = (titles + new).sorted()
      #expect(spans.titles == SectionSpans(titles).titles)
      #expect(spans.counts == SectionSpans(titles).counts)
      for position in titles.indices.prefix(20) {
        #expect(spans.titles[spans.sections(at: [position])[0]] == titles[position])
      }
    }
  }

  @Test("don't take a model outside of the section of its title")
  func strangers() {
    let spans = SectionSpans(["a", "a", "b", "b"])
    #expect(spans.inserting([(4, "a")]) == nil)
    #expect(spans.inserting([(1, "c")]) == nil)
    #expect(spans.inserting([(2, "aa"), (2, "a")]) == nil)
    #expect(spans.inserting([(2, "a"), (2, "aa"), (2, "b")])?.counts == [3, 1, 3])
    #expect(!SectionSpans(["a", "b", "a"]).areTitlesUnique)
  }
}
