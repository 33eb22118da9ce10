import Foundation
import SwiftData
import Testing

/// Rows of docs/traps.md: code that runs during a save or an enumeration.
@Suite("Calls from inside a save or an enumeration don't trap")
struct ReentranceTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Fragile.self)
    context = ModelContext(container)
    for number in 0..<3 { context.insert(Fragile("\(number)", number: number)) }
    try context.save()
  }

  /// Calls `body` at each notification of the context, at most once at a time.
  func observing<Result>(
    _ name: Notification.Name, _ body: @escaping (ModelContext) -> Void,
    while action: () throws -> Result
  ) rethrows -> Result {
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var isBusy = false
    nonisolated(unsafe) let context = context
    let token = NotificationCenter.default.addObserver(
      forName: name, object: context, queue: nil
    ) { _ in
      guard !isBusy else { return }
      isBusy = true
      body(context)
      isBusy = false
    }
    defer { NotificationCenter.default.removeObserver(token) }
    return try action()
  }

  func count() throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Fragile>())
  }

  @Test("save in an observer of willSave")
  func saveInWillSave() throws {
    context.insert(Fragile("new"))
    try observing(ModelContext.willSave) { context in
      do { try context.save() } catch { Issue.record(error) }
    } while: {
      try context.save()
    }
    #expect(!context.hasChanges)
    #expect(try count() == 4)
  }

  @Test("insert, edit and delete in an observer of willSave take part in the save")
  func changesInWillSave() throws {
    context.insert(Fragile("new"))
    try observing(ModelContext.willSave) { context in
      do {
        let models = try context.fetch(FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.name)]))
        models[0].number = 100
        context.delete(models[1])
        context.insert(Fragile("more"))
      } catch { Issue.record(error) }
    } while: {
      try context.save()
    }
    #expect(!context.hasChanges)
    #expect(try count() == 4)
  }

  @Test("rollback in an observer of willSave leaves nothing to save")
  func rollbackInWillSave() throws {
    context.insert(Fragile("new"))
    try observing(ModelContext.willSave) {
      $0.rollback()
    } while: {
      try context.save()
    }
    #expect(try count() == 3)
  }

  @Test("changes and a save in an observer of didSave")
  func saveInDidSave() throws {
    context.insert(Fragile("new"))
    try observing(ModelContext.didSave) { context in
      context.insert(Fragile("more"))
      do { try context.save() } catch { Issue.record(error) }
    } while: {
      try context.save()
    }
    #expect(try count() == 5)
  }

  @Test("a save inside a transaction, and a transaction inside a transaction")
  func nestedTransactions() throws {
    try context.transaction {
      context.insert(Fragile("new"))
      try context.save()
      try context.transaction { context.insert(Fragile("more")) }
    }
    #expect(try count() == 5)
  }

  @Test("deleting and inserting while enumerating, where it is allowed")
  func enumeration() throws {
    var seen = 0
    try context.enumerate(
      FetchDescriptor<Fragile>(), batchSize: 1, allowEscapingMutations: true
    ) { model in
      seen += 1
      context.delete(model)
      if seen < 10 { context.insert(Fragile("new")) }
      if seen == 2 { try context.save() }
    }
    #expect(seen == 3)
    try context.save()
    #expect(try count() == 3)
  }

  @Test("a save while enumerating leaves no model out that was unsaved before")
  func enumerationOfUnsavedModels() throws {
    let added = (3..<6).map { Fragile("\($0)", number: $0) }
    added.forEach(context.insert)
    var seen: [Int] = []
    try context.enumerate(
      FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.number)]), batchSize: 2,
      allowEscapingMutations: true
    ) { model in
      seen.append(model.number)
      if model === added[0] { context.delete(added[2]) }
      try context.save()
    }
    #expect(seen == [0, 1, 2, 3, 4])
  }

  @Test("an enumeration leaves out the models that its block has deleted, stored or not")
  func deletingWhileEnumerating() throws {
    let stored = try context.fetch(FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.number)]))
    let added = (3..<6).map { Fragile("\($0)", number: $0) }
    added.forEach(context.insert)
    var seen: [Int] = []
    try context.enumerate(
      FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.number)]), allowEscapingMutations: true
    ) { model in
      seen.append(model.number)
      guard model === stored[0] else { return }
      context.delete(stored[1])
      context.delete(added[1])
    }
    #expect(seen == [0, 2, 3, 5])
  }

  @Test("a change while enumerating, where it isn't allowed, is an error before the next batch")
  func enumerationRefusing() throws {
    var seen = 0
    #expect(throws: SwiftDataError.self) {
      try context.enumerate(FetchDescriptor<Fragile>(), batchSize: 2) { model in
        model.number += 1
        seen += 1
      }
    }
    #expect(seen == 2)
    #expect(context.hasChanges)
    #expect(throws: SwiftDataError.self) {
      try context.enumerate(FetchDescriptor<Fragile>()) { _ in seen += 1 }
    }
    #expect(seen == 2)
    context.rollback()
    try context.enumerate(FetchDescriptor<Fragile>()) { #expect($0.number < 3) }
  }

  @Test("changes of the last batch of an enumeration stay pending", arguments: [1, 2, 3, 5000])
  func enumerationOfOneBatch(_ size: Int) throws {
    let sorted = FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.number)])
    try context.transaction {
      try context.enumerate(sorted, batchSize: size) { model in
        if model.number == 2 { context.delete(model) } else if size > 2 { model.number += 10 }
      }
      #expect(context.hasChanges)
    }
    let stored = try ModelContext(container).fetch(sorted).map(\.number)
    #expect(stored == (size > 2 ? [10, 11] : [0, 1]))
  }

  @Test("rows that are deleted elsewhere while enumerating are left out")
  func deletedWhileEnumerating() throws {
    var seen = 0
    try context.enumerate(FetchDescriptor<Fragile>(), batchSize: 1) { _ in
      seen += 1
      if seen == 1 { try container.erase() }
    }
    #expect(seen == 1)
  }

  @Test("a list may be changed while it is walked")
  func listWhileWalking() throws {
    let model = Fragile("x")
    model.pieces = (0..<5).map { Piece($0, of: model) }
    context.insert(model)
    for piece in model.pieces {
      context.delete(piece)
      model.pieces.removeAll { $0 === piece }
    }
    try context.save()
    #expect(model.pieces.isEmpty)
  }

  @Test("erasing under a context with unsaved changes")
  func eraseUnderChanges() throws {
    let models = try context.fetch(FetchDescriptor<Fragile>())
    models[0].number = 50
    context.delete(models[1])
    try container.erase()
    try context.save()
    #expect(models.count == 3)
    #expect(try count() == 0)
  }
}
