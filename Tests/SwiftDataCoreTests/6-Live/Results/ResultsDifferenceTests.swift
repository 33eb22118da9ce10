import TestSupport
import Testing

@testable import SwiftDataCore

@Suite("The difference between two lists of results")
struct ResultsDifferenceTests {
  private struct Rows: RowIdentifying {
    func identifier(rowID: Int64, entity: String) -> PersistentIdentifier {
      PersistentIdentifier(storeIdentifier: "store", entityName: entity, key: .row(rowID))
    }
    func rowID(for identifier: PersistentIdentifier) -> Int64? { identifier.rowID }
  }

  private let rows = ModelKeys(store: Rows(), entity: "Row")

  private func snapshot(_ keys: [Int64]) -> ResultsState {
    var list = KeyList(keys)
    list.makeIndex()
    return ResultsState(list: list, keys: rows)
  }

  private func identifiers(_ keys: [Int64]) -> [PersistentIdentifier] {
    keys.map(rows.identifier(of:))
  }

  @Test(
    "turns the earlier list into the later one, with any known rows",
    arguments: 0..<TestEnvironment.rounds(20))
  func application(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    for size in [0, 1, 4, 30, 400] {
      let earlier = (0..<Int64(size)).map { $0 }.shuffled(using: &random)
      let written = Set(earlier.filter { _ in Int.random(in: 0..<5, using: &random) == 0 })
      var later = earlier.filter { !written.contains($0) }
      var expected: Set<Int64> = []
      for key in written where Bool.random(using: &random) {
        later.insert(key, at: Int.random(in: 0...later.count, using: &random))
        expected.insert(key)
      }
      let new = (0..<Int64.random(in: 0...5, using: &random)).map { 1_000 + $0 }
      for key in new { later.insert(key, at: Int.random(in: 0...later.count, using: &random)) }
      for change in [
        ResultsChange(written: written.union(new)),
        ResultsChange(written: written.union(new), arePositionsKnown: false),
      ] {
        let difference = ResultsDifference(from: snapshot(earlier), to: snapshot(later), change)
        #expect(difference.applied(to: identifiers(earlier)) == identifiers(later))
        #expect(Set(difference.changed.map(\.id)) == Set(identifiers(Array(expected))))
        #expect(difference.changed.allSatisfy { identifiers(later)[$0.position] == $0.id })
        let standard = difference.collectionDifference
        #expect(standard.flatMap { identifiers(earlier).applying($0) } == identifiers(later))
        #expect(
          difference.removed.map(\.position) == difference.removed.map(\.position).sorted(by: >))
        #expect(difference.inserted.map(\.position) == difference.inserted.map(\.position).sorted())
        #expect(difference.removed.count + difference.moved.count <= written.count)
      }
    }
  }

  @Test("moves as few rows as it can")
  func fewMoves() {
    let difference = ResultsDifference(
      from: snapshot([1, 2, 3, 4, 5]), to: snapshot([2, 3, 4, 1, 5]),
      ResultsChange(arePositionsKnown: false))
    #expect(difference.moved.map(\.origin) == [0] && difference.moved.map(\.destination) == [3])
    // Written, but still between the same neighbours.
    let still = ResultsDifference(
      from: snapshot([1, 2, 3]), to: snapshot([1, 2, 3]), ResultsChange(written: [2]))
    #expect(still.moved.isEmpty && still.changed.map(\.position) == [1] && !still.isEmpty)
  }

  @Test("lists removed and inserted sections, and moves a row to another section at the same place")
  func sections() {
    var earlier = snapshot([1, 2])
    earlier.spans = SectionSpans(["a", "b"])
    var later = snapshot([1, 2, 3])
    later.spans = SectionSpans(["b", "b", "c"])
    let difference = ResultsDifference(from: earlier, to: later, ResultsChange(written: [1, 3]))
    #expect(difference.removedSections == [0] && difference.insertedSections == [1])
    #expect(difference.moved.map(\.origin) == [0] && difference.moved.map(\.destination) == [0])
    #expect(difference.inserted.map(\.position) == [2])
  }

  @Test("can't be applied to another list")
  func strangers() {
    let difference = ResultsDifference(
      from: snapshot([1, 2, 3]), to: snapshot([1, 3]), ResultsChange(written: [2]))
    #expect(difference.applied(to: identifiers([1, 2])) == nil)
    #expect(difference.applied(to: identifiers([1, 4, 3])) == nil)
    #expect(difference.applied(to: identifiers([1, 2, 3])) == identifiers([1, 3]))
  }

  @Test("of a reader far behind has at most the list's rows, and is marked as incomplete")
  func limits() {
    var change = ResultsChange()
    for number in 0..<2_000 {
      change.formUnion(ResultsChange(written: [Int64(number)]), limit: 1_000)
    }
    #expect(change.isReload && change.written.isEmpty)
    let difference = ResultsDifference(from: snapshot([1]), to: snapshot([1]), change)
    #expect(difference.reloadsAll && !difference.isEmpty && difference.changed.isEmpty)
  }

  @Test(
    "finds a longest rising part",
    arguments: [[], [1], [3, 1, 2], [5, 4, 3], [2, 9, 3, 4, 1, 5]])
  func risingParts(numbers: [Int]) {
    let places = IncreasingSubsequence.longest(numbers)
    #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 && numbers[$0] < numbers[$1] })
    var longest = 0
    for mask in 0..<(1 << numbers.count) {
      let part = numbers.indices.filter { mask & (1 << $0) != 0 }.map { numbers[$0] }
      if part == part.sorted() { longest = max(longest, part.count) }
    }
    #expect(places.count == longest)
  }
}
