import SwiftDataCore
import TestSupport
import Testing

@testable import SwiftDataStore

@Suite("Packed changes")
struct HistoryPackerTests {
  private func mask(_ positions: [Int]) -> ChangeMask {
    var mask = ChangeMask()
    for position in positions { mask.insert(position) }
    return mask
  }

  @Test(
    "are unpacked unchanged, with any row IDs and properties",
    arguments: 1...TestEnvironment.rounds(UInt64(50)))
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var packing = HistoryPacker()
    var expected: [String] = []
    var rowID: Int64 = 0
    for _ in 0..<500 {
      rowID =
        Bool.random(using: &random)
        ? rowID &+ 1
        : Int64.random(in: .min ... .max, using: &random)
          >> Int64.random(in: 0...60, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        packing.append(.insert, rowID)
        expected.append("insert \(rowID)")
      case 1:
        let positions = Set((0...2).map { _ in Int.random(in: 0..<100, using: &random) }).sorted()
        // An update directly after the insertion of the row is merged into the insertion.
        if expected.last != "insert \(rowID)" { expected.append("update \(rowID) \(positions)") }
        packing.append(.update, rowID, mask(positions))
      default:
        packing.append(.delete, rowID)
        expected.append("delete \(rowID)")
      }
    }
    var unpacking = HistoryUnpacker(packing.finish())
    var changes: [PackedChange] = []
    try unpacking.read(into: &changes) { .max }
    let found = changes.map { change in
      "\(change.kind) \(change.rowID)" + (change.kind == .update ? " \(change.positions)" : "")
    }
    #expect(found == expected)
    #expect(packing.isEmpty)
  }

  @Test("of an import are a few bytes, of scattered updates at most four a row")
  func size() {
    var packing = HistoryPacker()
    for rowID in 1...100_000 { packing.append(.insert, Int64(rowID)) }
    #expect(packing.finish().count < 8)
    for rowID in stride(from: 1, through: 1_000_000, by: 10) {
      packing.append(.update, Int64(rowID), mask([3]))
    }
    #expect(packing.finish().count <= 400_000)
  }

  @Test("are one change a row after a transaction")
  func merging() {
    func merged(_ changes: [(HistoryKind, Int64, [Int])]) -> [String] {
      HistoryUnpacker.merged(
        changes.map { PackedChange(kind: $0.0, rowID: $0.1, positions: $0.2) }
      ).map { "\($0.kind) \($0.rowID) \($0.positions)" }
    }
    #expect(
      merged([(.insert, 2, []), (.insert, 1, []), (.update, 2, [1])]) == [
        "insert 2 []", "insert 1 []",
      ])
    #expect(merged([(.update, 1, [2]), (.update, 1, [0])]) == ["update 1 [0, 2]"])
    #expect(merged([(.insert, 1, []), (.delete, 1, [])]).isEmpty)
    #expect(merged([(.update, 1, [2]), (.delete, 1, [])]) == ["delete 1 []"])
    #expect(merged([(.delete, 1, []), (.insert, 1, [])]) == ["delete 1 []", "insert 1 []"])
  }
}
