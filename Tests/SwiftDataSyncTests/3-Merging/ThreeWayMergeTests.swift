import SwiftDataSync
import Testing

@Suite struct ThreeWayMergeTests {
  private let object = SyncObjectID("Park", "1")

  private func merge(
    _ base: SyncValues?, _ local: SyncValues?, _ remote: SyncValues?,
    _ policy: SyncPolicy = .serverWins
  ) -> ThreeWayMerge.Result {
    ThreeWayMerge.merge(object, base: base, local: local, remote: remote, policy: policy)
  }

  /// Every combination of one property's values on three sides, compared with the intuitive result.
  @Test func oneProperty() {
    let values: [SyncValues?] = [nil, ["p": .integer(1)], ["p": .integer(2)], ["p": .integer(3)]]
    for base in values {
      for local in values {
        for remote in values {
          let server = merge(base, local, remote)
          let client = merge(base, local, remote, .clientWins)
          let isConflict = local != base && remote != base && local != remote
          #expect((server.resolution != nil) == isConflict)
          #expect((client.resolution != nil) == isConflict)
          let expected = local == base ? remote : remote == base ? local : remote
          #expect(server.values == expected)
          #expect(client.values == (isConflict ? local : expected))
        }
      }
    }
  }

  @Test func onlyPropertiesChangedOnBothSidesAreInConflict() {
    let base: SyncValues = ["a": .integer(0), "b": .integer(0), "c": .integer(0), "d": .null]
    let local: SyncValues = ["a": .integer(1), "b": .integer(0), "c": .integer(1), "d": .null]
    let remote: SyncValues = ["a": .integer(0), "b": .integer(2), "c": .integer(2), "d": .null]
    let result = merge(base, local, remote, .clientWins)
    #expect(
      result.values == ["a": .integer(1), "b": .integer(2), "c": .integer(1), "d": .null])
    #expect(result.resolution?.conflict.properties == ["c"])
  }

  @Test func theLatestWinsWithAllItsValues() {
    let base: SyncValues = ["name": .text("0"), "at": .real(0)]
    let early: SyncValues = ["name": .text("early"), "at": .real(1)]
    let late: SyncValues = ["name": .text("late"), "at": .integer(2)]
    let policy = SyncPolicy.latestWins(property: "at")
    #expect(merge(base, early, late, policy).values == late)
    #expect(merge(base, late, early, policy).values == late)
    // With equal times, the server wins; with an edit and a deletion, the edit wins.
    let twin: SyncValues = ["name": .text("twin"), "at": .real(1)]
    #expect(merge(base, twin, early, policy).values == early)
    #expect(merge(base, nil, early, policy).values == early)
    #expect(merge(base, early, nil, policy).values == early)
    #expect(merge(base, ["name": .text("x"), "at": .null], early, policy).values == early)
  }

  @Test func aClosureDecidesPropertyByProperty() {
    let base: SyncValues = ["count": .integer(10)]
    let policy = SyncPolicy.custom { conflict in
      func count(_ values: SyncValues?) -> Double { values?["count"]?.number ?? 0 }
      let sum = count(conflict.local) + count(conflict.remote) - count(conflict.base)
      return .values(["count": .integer(Int64(sum))])
    }
    let result = merge(base, ["count": .integer(12)], ["count": .integer(15)], policy)
    #expect(result.values == ["count": .integer(17)])
    #expect(result.resolution?.result == result.values)
  }
}
