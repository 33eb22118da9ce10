import Testing

@testable import SwiftDataCore

@Suite("The hash table of addresses by row ID")
struct RowIDHashTableTests {
  private func address(_ number: Int) throws -> UnsafeRawPointer {
    try #require(UnsafeRawPointer(bitPattern: number * 16 + 16))
  }

  private func contents(_ table: borrowing RowIDHashTable) -> [Int64: UnsafeRawPointer] {
    var found: [Int64: UnsafeRawPointer] = [:]
    table.forEach { found[$0] = $1 }
    return found
  }

  /// Row IDs as in stores: dense, with gaps, multiples of a power of two, negative, at the limits.
  static let families: [@Sendable (Int) -> Int64] = [
    { Int64($0) }, { Int64($0) * 7 }, { Int64($0) << 20 }, { Int64($0) << 44 | 5 },
    { -Int64($0) }, { Int64.max - Int64($0) }, { Int64.min &+ Int64($0) << 3 },
  ]

  @Test("behaves as a dictionary", arguments: families.indices)
  func agreesWithADictionary(family: Int) throws {
    var generator = SystemRandomNumberGenerator()
    var table = RowIDHashTable()
    var expected: [Int64: UnsafeRawPointer] = [:]
    for step in 0..<20_000 {
      let rowID = Self.families[family](Int.random(in: 0..<2_000, using: &generator))
      // Mostly growing at the start, mostly shrinking at the end.
      if Int.random(in: 0..<20_000, using: &generator) >= step {
        let new = try address(step)
        table.set(new, for: rowID)
        expected[rowID] = new
      } else {
        table.remove(rowID)
        expected[rowID] = nil
      }
      #expect(table[rowID] == expected[rowID])
      if step.isMultiple(of: 1_000) {
        #expect(table.count == expected.count)
        #expect(contents(table) == expected)
        for rowID in expected.keys { #expect(table[rowID] == expected[rowID]) }
      }
    }
    for rowID in Array(expected.keys) { table.remove(rowID) }
    #expect(table.count == 0)
    #expect(contents(table).isEmpty)
  }

  @Test("an address is only removed when it is still the row's")
  func removesTheGivenAddressOnly() throws {
    var table = RowIDHashTable()
    table.set(try address(1), for: 5)
    table.set(try address(2), for: 5)
    table.remove(5, ifAt: try address(1))
    #expect(try table[5] == address(2))
    table.remove(5, ifAt: try address(2))
    #expect(table[5] == nil)
    #expect(table.count == 0)
  }
}
