import Testing

@testable import SwiftDataCore

@Suite("Changes that wait for a save") struct PendingChangesTests {
  @Test("Nothing to save, until there is a model, a deletion by predicate or a refusal")
  func emptiness() {
    var pending = PendingChanges()
    #expect(pending.isEmpty && !pending.hasModels)
    let book = TestBook()
    pending.changed.insert(book)
    #expect(!pending.isEmpty && pending.hasModels)
    pending.changed.remove(book)
    #expect(pending.isEmpty && !pending.hasModels)
    pending.batchDeletions = [
      PredicateDeletion<TestBook>(predicate: nil, includeSubclasses: true)
    ]
    #expect(!pending.isEmpty && !pending.hasModels)
    pending.batchDeletions = []
    pending.refusedInsertions = [SwiftDataError.unknownSchema]
    #expect(!pending.isEmpty && !pending.hasModels)
  }

  @Test("Models of a class: those inserted, then those changed") func modelsOfAClass() {
    var pending = PendingChanges()
    let (first, second, gone, author) = (TestBook(), TestBook(), TestBook(), TestAuthor())
    pending.changed.insert(first)
    pending.inserted.insert(second)
    pending.deleted.insert(gone)
    pending.inserted.insert(author)
    #expect(pending.models(of: TestBook.self).map { $0 === second } == [true, false])
    #expect(pending.count(of: TestBook.self) == 3)
    #expect(pending.hasModels(of: TestAuthor.self) == true)
    #expect(
      pending.types() == [ObjectIdentifier(TestBook.self), ObjectIdentifier(TestAuthor.self)])
  }

  @Test("Rows of changed and deleted models are outdated, new models have none")
  func outdatedRows() {
    var pending = PendingChanges()
    let (changed, deleted, inserted) = (TestBook(), TestBook(), TestBook())
    changed._$modelState.rowID = 7
    deleted._$modelState.rowID = 9
    pending.changed.insert(changed)
    pending.deleted.insert(deleted)
    pending.inserted.insert(inserted)
    #expect(pending.outdatedRows(of: TestBook.self) == [7, 9])
    #expect(pending.outdatesRow(of: changed, changed._$modelState))
    #expect(pending.outdatesRow(of: deleted, deleted._$modelState))
    #expect(!pending.outdatesRow(of: inserted, inserted._$modelState))
  }

  @Test("A deleted model that was never saved leaves only its class") func droppedClasses() {
    var pending = PendingChanges()
    let (book, author) = (TestBook(), TestAuthor())
    pending.inserted.insert(book)
    pending.changed.insert(author)
    #expect(pending.drop(book) == true)
    #expect(pending.drop(author) == false)
    #expect(!pending.inserted.contains(book, book._$modelState))
    #expect(pending.droppedClasses.keys.map { $0 } == [ObjectIdentifier(TestBook.self)])
    pending.forgetDroppedClasses()
    #expect(pending.droppedClasses.isEmpty)
  }

  @Test("Cancelling leaves the changed models, with the deleted ones that had been changed")
  func cancellation() {
    var pending = PendingChanges()
    let (inserted, changed, deleted, both) = (TestBook(), TestBook(), TestBook(), TestBook())
    both._$modelState.changes.insert(0)
    pending.inserted.insert(inserted)
    pending.changed.insert(changed)
    pending.deleted.insert(deleted)
    pending.deleted.insert(both)
    pending.refusedInsertions = [SwiftDataError.unknownSchema]
    let cancelled = pending.cancelInsertionsAndDeletions()
    #expect(cancelled.inserted.count == 1 && cancelled.inserted[0] === inserted)
    #expect(cancelled.deleted.map { $0 === both } == [false, true])
    #expect(pending.changed.models.map { $0 === both } == [false, true])
    #expect(pending.inserted.isEmpty && pending.deleted.isEmpty)
    #expect(pending.refusedInsertions.isEmpty)
  }
}
