import Testing

@testable import SwiftDataCore

@Suite("Saves under way") struct ActiveSavesTests {
  @Test("Saves of observers are nested, up to a limit") func nesting() throws {
    var saves = ActiveSaves()
    for _ in 0..<OperationDepth.limit { try saves.begin() }
    do {
      try saves.begin()
      Issue.record("begun once more")
    } catch SwiftDataError.reentrantOperation {}
    for _ in 0..<OperationDepth.limit { saves.end() }
    #expect(saves.depth == 0)
  }

  @Test("While a store writes, no other save begins") func writing() throws {
    var saves = ActiveSaves()
    try saves.begin()
    saves.isWriting = true
    do {
      try saves.begin()
      Issue.record("begun while a store writes")
    } catch SwiftDataError.reentrantOperation {}
    saves.isWriting = false
    try saves.begin()
    #expect(saves.depth == 2)
  }

  @Test("Edits are recorded only while a store writes, and returned once") func lateEdits() {
    var saves = ActiveSaves()
    let book = TestBook()
    saves.recordEdit(of: book, at: 0)
    saves.isWriting = true
    saves.recordEdit(of: book, at: 1)
    saves.isWriting = false
    saves.recordEdit(of: book, at: 2)
    let edits = saves.consumeLateEdits()
    #expect(edits.map(\.property) == [1])
    #expect(edits.allSatisfy { $0.model === book })
    #expect(saves.consumeLateEdits().count == 0)
  }
}
