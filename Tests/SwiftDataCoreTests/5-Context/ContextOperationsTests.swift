import Testing

@testable import SwiftDataCore

@Suite("Operations of a context") struct ContextOperationsTests {
  @Test("Only the outermost operation notifies") func nesting() {
    var operations = ContextOperations()
    let book = TestBook()
    operations.begin()
    operations.begin()
    #expect(operations.recordChange(of: book, at: 0) == true)
    #expect(operations.end() == false)
    #expect(operations.depth == 1)
    #expect(operations.end() == true)
    #expect(operations.consumeNotifications().count == 1)
  }

  @Test("An operation without changes leaves nothing to do, but a rollback that is due does")
  func nothingToDo() {
    var operations = ContextOperations()
    operations.begin()
    #expect(operations.end() == false)
    operations.begin()
    operations.isRollbackDue = true
    #expect(operations.end() == true)
  }

  @Test("Outside of operations observers are notified at once") func outside() {
    var operations = ContextOperations()
    #expect(operations.recordChange(of: TestBook(), at: 0) == false)
    #expect(operations.consumeNotifications().count == 0)
  }

  @Test("Each property of a model is reported once, in the order of the first changes")
  func onceEach() {
    var operations = ContextOperations()
    let (book, other) = (TestBook(), TestBook())
    operations.begin()
    for (model, property) in [(book, 1), (other, 1), (book, 0), (book, 1), (other, 1)] {
      _ = operations.recordChange(of: model, at: property)
    }
    let found = operations.consumeNotifications()
    #expect(found.map(\.property) == [1, 1, 0])
    #expect(found.map { $0.model === book } == [true, false, true])
    #expect(operations.consumeNotifications().count == 0)
  }

  @Test("Reads are counted, and those nested without end are refused") func readings() throws {
    var operations = ContextOperations()
    try operations.beginReading()
    operations.endReading()
    #expect(operations.readings == 0)
    #expect(operations.readingCount == 1)
    for _ in 0..<OperationDepth.limit { try operations.beginReading() }
    do {
      try operations.beginReading()
      Issue.record("read once more")
    } catch SwiftDataError.reentrantOperation {}
    #expect(operations.readings == OperationDepth.limit)
  }
}
