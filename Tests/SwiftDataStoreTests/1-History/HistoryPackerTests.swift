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
    var unpacking = HistoryUnpacker(packing.finish(), properties: Array(0..<100))
    var changes: [PackedChange] = []
    try unpacking.read(into: &changes) { .max }
    let found = changes.map { change in
      "\(change.kind) \(change.rowID)" + (change.kind == .update ? " \(change.properties)" : "")
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

  @Test("name the properties that a model has, each once, whatever their positions are")
  func properties() throws {
    var bytes: [UInt8] = []
    bytes.append(variable: 1)
    bytes.append(signed: 7)
    let positions: [UInt64] = [3, 3, 99, 1, 0, 2, 4, .max, 1 << 32]
    bytes.append(variable: UInt64(positions.count))
    for position in positions { bytes.append(variable: position) }
    // The same properties of the same row.
    bytes += [5, 0]
    let layout: [Int?] = [0, 5, nil, 2, 5]
    var unpacking = HistoryUnpacker(bytes, properties: layout)
    var changes: [PackedChange] = []
    try unpacking.read(into: &changes) { .max }
    #expect(changes.map(\.rowID) == [7, 7])
    #expect(changes.map(\.properties) == [[0, 2, 5], [0, 2, 5]])
    var runs: [[Int]] = []
    var again = HistoryUnpacker(bytes, properties: layout)
    try again.forEachRun { runs.append($0.properties) }
    #expect(runs == [[0, 2, 5], [0, 2, 5]])
    #expect(HistoryUnpacker.merged(changes).map(\.properties) == [[0, 2, 5]])
  }

  @Test("of a row have the properties of all of them")
  func union() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<200 {
      let lists = (0..<3).map { _ in
        Set(
          (0..<Int.random(in: 0...5, using: &random)).map { _ in
            Int.random(in: 0..<8, using: &random)
          }
        ).sorted()
      }
      let merged = HistoryUnpacker.merged(
        lists.map { PackedChange(kind: .update, rowID: 1, properties: $0) })
      #expect(merged.map(\.properties) == [Set(lists.joined()).sorted()])
    }
  }

  @Test("are one change a row after a transaction")
  func merging() {
    func merged(_ changes: [(HistoryKind, Int64, [Int])]) -> [String] {
      HistoryUnpacker.merged(
        changes.map { PackedChange(kind: $0.0, rowID: $0.1, properties: $0.2) }
      ).map { "\($0.kind) \($0.rowID) \($0.properties)" }
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

  @Test("of the links of a deleted row, which are removed after it, don't count")
  func linksOfDeletedRows() {
    func merged(_ kinds: HistoryKind...) -> [HistoryKind] {
      HistoryUnpacker.merged(
        kinds.map { PackedChange(kind: $0, rowID: 1, properties: $0 == .update ? [2] : []) }
      ).map(\.kind)
    }
    #expect(merged(.delete, .update) == [.delete])
    #expect(merged(.update, .delete, .update, .update) == [.delete])
    #expect(merged(.insert, .delete, .update) == [])
    #expect(merged(.insert, .delete, .update, .insert, .update) == [.insert])
    #expect(merged(.delete, .update, .insert, .update) == [.delete, .insert])
    #expect(merged(.delete, .insert, .delete, .update) == [.delete])
  }
}
