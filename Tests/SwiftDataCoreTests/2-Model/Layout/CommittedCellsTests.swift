import TestSupport
import Testing

@testable import SwiftDataCore

@Suite("Former values of changed properties")
struct CommittedCellsTests {
  /// The values of a property: a number and a text, as in a composite.
  private struct Kept: Equatable {
    let number: Int64
    let text: String

    var cells: (cells: [_Cell], arena: [UInt8]) {
      let arena = Array("before".utf8) + Array(text.utf8)
      return (
        [
          _Cell(kind: .integer, bits: number),
          _Cell(kind: .text, bits: 6, count: text.utf8.count),
        ], arena
      )
    }
  }

  private func isEqual(
    _ kept: Kept, _ property: Int, from first: Int32, in former: borrowing CommittedCells
  ) -> Bool? {
    let (cells, arena) = kept.cells
    return cells.withUnsafeBufferPointer { cells in
      arena.withUnsafeBufferPointer { former.isEqual(property, to: cells, $0, from: first) }
    }
  }

  @Test(
    "are as recorded, model by model, until they are dropped",
    arguments: 0..<TestEnvironment.rounds(UInt64(8)))
  func sameAsDictionary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var former = CommittedCells()
    var firsts = [Int32](repeating: -1, count: 700)
    var expected = [[Int: Kept]](repeating: [:], count: firsts.count)
    for step in 0..<6_000 {
      let model = Int.random(in: firsts.indices, using: &random)
      if Int.random(in: 0..<20, using: &random) == 0 {
        former.discard(from: firsts[model])
        firsts[model] = -1
        expected[model] = [:]
        continue
      }
      let property = Int.random(in: 0..<5, using: &random)
      if former.contains(property, from: firsts[model]) {
        #expect(expected[model][property] != nil)
        continue
      }
      let kept = Kept(
        number: Int64(step), text: String(repeating: "x", count: step % 40))
      let (cells, arena) = kept.cells
      cells.withUnsafeBufferPointer { cells in
        arena.withUnsafeBufferPointer {
          former.record(cells, $0, of: property, behind: &firsts[model])
        }
      }
      expected[model][property] = kept
    }
    #expect(former.count == expected.map { $0.count * 2 }.reduce(0, +))
    for (model, properties) in expected.enumerated() {
      for property in 0..<5 {
        let row = former.row(of: property, from: firsts[model])
        guard let kept = properties[property] else {
          #expect(row == nil)
          #expect(
            isEqual(Kept(number: 0, text: ""), property, from: firsts[model], in: former) == nil)
          continue
        }
        let found = try #require(row)
        #expect(found.cells.map(\.kind) == [.integer, .text])
        #expect(found.cells[0].bits == kept.number)
        #expect(String(decoding: found.arena, as: UTF8.self) == kept.text)
        #expect(isEqual(kept, property, from: firsts[model], in: former) == true)
        let other = Kept(number: kept.number, text: kept.text + "y")
        #expect(isEqual(other, property, from: firsts[model], in: former) == false)
      }
      former.discard(from: firsts[model])
    }
    #expect(former.count == 0)
  }
}
