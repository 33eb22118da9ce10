import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

@Suite("Unique values in a set")
struct KeySetTests {
  /// Inserts texts and integers.
  private func insert(_ values: [Any?], into keys: inout KeySet) -> Bool {
    var arena: [UInt8] = [0]
    let cells = values.map { value in
      switch value {
      case let text as String:
        let start = arena.count
        arena += text.utf8
        return _Cell(kind: .text, bits: Int64(start), count: arena.count - start)
      case let number as Int: return _Cell(kind: .integer, bits: Int64(number))
      case let real as Double:
        return _Cell(kind: .real, bits: Int64(bitPattern: real.bitPattern))
      default: return _Cell(kind: .null)
      }
    }
    return arena.withUnsafeBytes { keys.insert(cells, in: $0.baseAddress) }
  }

  @Test("are new once")
  func once() {
    var keys = KeySet()
    for text in ["", "a", "\0", "\0\0", "1234567", "12345678", "123456789", "é", "e\u{301}"] {
      #expect(insert([text], into: &keys))
      #expect(!insert([text], into: &keys))
    }
    for number in [0, 1, -1, .max, .min] {
      #expect(insert([number], into: &keys))
      #expect(!insert([number], into: &keys))
    }
  }

  @Test("are new by all of their parts, and by where these end")
  func parts() {
    var keys = KeySet()
    let rows: [[Any?]] = [
      ["ab", "c"], ["a", "bc"], ["abc", ""], ["", "abc"], ["ab", 1], [1, "ab"],
    ]
    for row in rows { #expect(insert(row, into: &keys)) }
    for row in rows { #expect(!insert(row, into: &keys)) }
  }

  @Test("are always new with nil, and never for sure with a real number")
  func special() {
    var keys = KeySet()
    for _ in 0..<2 {
      #expect(insert([nil], into: &keys))
      #expect(insert(["a", nil], into: &keys))
      #expect(!insert([1.5], into: &keys))
    }
    #expect(insert(["a"], into: &keys))
  }

  @Test("are found among all that there is room for, and none is new after that")
  func full() {
    var keys = KeySet()
    var refused = 0
    for number in 0..<KeySet.maximumCount where !insert(["code \(number)"], into: &keys) {
      refused += 1
    }
    // A false match has a probability of one in several hundred million for each neighbouring
    // entry.
    #expect(refused <= 2)
    #expect((0..<1_000).allSatisfy { !insert(["code \($0 * 1_048)"], into: &keys) })
    while keys.count < KeySet.maximumCount { _ = insert([keys.count], into: &keys) }
    #expect(!insert(["another"], into: &keys))
  }
}
