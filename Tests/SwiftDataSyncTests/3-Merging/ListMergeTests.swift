import SwiftDataSync
import Testing

@Suite struct ListMergeTests {
  private func list(_ keys: some Sequence<Int>) -> SyncValue {
    .list(keys.map { .text(String($0)) })
  }

  private func merge(
    _ base: [Int]?, _ local: [Int], _ remote: [Int], isOrdered: Bool
  ) -> SyncValue? {
    ThreeWayMerge.merge(
      SyncObjectID("A", "1"), base: base.map { ["l": list($0)] }, local: ["l": list(local)],
      remote: ["l": list(remote)], policy: .serverWins,
      lists: ["l": SyncSchema.List(to: "B", isOrdered: isOrdered)]
    ).values?["l"]
  }

  private func subsets(of elements: [Int]) -> [[Int]] {
    (0..<(1 << elements.count)).map { bits in
      elements.indices.filter { bits & (1 << $0) != 0 }.map { elements[$0] }
    }
  }

  /// Every combination of three elements on three sides: the side that changed an element determines whether the result
  /// has it.
  @Test func eachElementFollowsTheSideThatChangedIt() {
    let all = subsets(of: [1, 2, 3])
    for base in all {
      for local in all {
        for remote in all {
          let expected = [1, 2, 3].filter { element in
            let before = base.contains(element)
            return local.contains(element) == before
              ? remote.contains(element) : local.contains(element)
          }
          #expect(merge(base, local, remote, isOrdered: false) == list(expected))
          guard case .list(let ordered) = merge(base, local, remote, isOrdered: true) else {
            Issue.record("no list")
            continue
          }
          #expect(Set(ordered) == Set(expected.map { .text(String($0)) }))
          #expect(ordered.count == expected.count)
        }
      }
    }
  }

  @Test func twoNewListsAreJoined() {
    #expect(merge(nil, [2], [1], isOrdered: false) == list([1, 2]))
    #expect(merge(nil, [2, 3], [1, 3], isOrdered: true) == list([1, 2, 3]))
  }

  @Test(arguments: [
    // Only one side has moved elements; an element that the other side added follows its neighbour.
    ([1, 2, 3], [3, 2, 1], [1, 9, 2, 3], [3, 2, 1, 9]),
    ([1, 2, 3], [1, 2, 9, 3], [3, 2, 1], [3, 2, 9, 1]),
    // Both sides have moved elements: the server's order wins.
    ([1, 2, 3], [2, 1, 3], [3, 1, 2], [3, 1, 2]),
    ([1, 2, 3], [9, 2, 1, 3], [3, 1, 2], [9, 3, 1, 2]),
    ([1, 2, 3], [1, 3], [3, 2, 1], [3, 1]),
  ])
  func theOrderOfTheSideThatChangedItCounts(
    _ base: [Int], _ local: [Int], _ remote: [Int], _ expected: [Int]
  ) {
    #expect(merge(base, local, remote, isOrdered: true) == list(expected))
  }

  @Test func keysHaveOneForm() {
    let given = SyncValue.list([.text("b"), .integer(7), .text("b"), .text("a")])
    #expect(
      ListMerge.canonical(given, isOrdered: false) == .list([.text("7"), .text("a"), .text("b")]))
    #expect(
      ListMerge.canonical(given, isOrdered: true) == .list([.text("b"), .text("7"), .text("a")]))
    #expect(ListMerge.canonical(.null, isOrdered: true) == .list([]))
    #expect(ListMerge.canonical(.list([.boolean(true)]), isOrdered: true) == nil)
    #expect(ListMerge.canonical(.text("a"), isOrdered: true) == nil)
  }

  /// Every selection of missing elements, also with equal places and with places beyond the end.
  @Test func missingElementsGetThePlacesOfInsertionsOneByOne() {
    func text(_ number: Int) -> SyncValue { .text(String(number)) }
    let places = [
      [0, 1, 2], [1, 3, 5], [0, 2, 9], [2, 2, 2], [-1, 0, 1], [3, 3, 4], [7, 8, 9],
    ]
    for present in subsets(of: [1, 2, 3, 4]) {
      for missing in subsets(of: [3, 5, 6]) {
        for places in places {
          let elements = zip(places, missing).map { (place: $0, element: text($1)) }
          var expected = present.map(text)
          for (place, element) in elements where !expected.contains(element) {
            expected.insert(element, at: min(max(0, place), expected.count))
          }
          let ordered = ListMerge.filled(present.map(text), elements, isOrdered: true)
          #expect(ordered == .list(expected))
          let unordered = ListMerge.filled(present.map(text), elements, isOrdered: false)
          #expect(unordered == list(Set(present).union(missing.prefix(3)).sorted()))
        }
      }
    }
  }
}
