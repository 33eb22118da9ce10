import Foundation
import SwiftDataCore
import Testing

@testable import SwiftDataStore

@Suite("A transaction of the history that is read in parts")
struct HistoryAssemblyTests {
  private func bytes(_ pack: (inout HistoryPacker) -> Void) -> [UInt8] {
    var packer = HistoryPacker()
    pack(&packer)
    return packer.finish()
  }

  @Test("has the changes of all parts, in order and by layout")
  func order() throws {
    let assembly = HistoryAssembly(
      HistoryAssembly.Head(number: 7, timestamp: .now, author: nil, program: "", process: 1))
    for (layout, rowID) in [(1, 5), (1, 3), (2, 4)] {
      try assembly.append(
        bytes { $0.append(.insert, Int64(rowID)) }, layout: Int64(layout), properties: [],
        path: "", maximumRowCount: { .max })
    }
    #expect(assembly.number == 7)
    #expect(assembly.parts.map(\.layout) == [1, 2])
    #expect(assembly.parts.map { $0.changes.map(\.rowID) } == [[5, 3], [4]])
  }

  @Test("doesn't copy the changes of the parts before")
  func copies() throws {
    // The loop of the readers of the stores.
    var current: HistoryAssembly?
    var moves = 0
    var place: UnsafeRawPointer?
    for part in 0..<300 {
      let assembly =
        current
        ?? HistoryAssembly(
          HistoryAssembly.Head(number: 1, timestamp: .now, author: nil, program: "", process: 1))
      try assembly.append(
        bytes { $0.append(.delete, Int64(part)) }, layout: 1, properties: [], path: "",
        maximumRowCount: { .max })
      current = assembly
      let now = assembly.parts[0].changes.withUnsafeBytes { $0.baseAddress }
      if now != place { moves += 1 }
      place = now
    }
    #expect(current?.parts[0].changes.count == 300)
    // An array that grows moves at most each time that its capacity is doubled.
    #expect(moves <= 20)
  }
}
