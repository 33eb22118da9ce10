import SwiftData
import Testing

/// Rows of docs/traps.md: models of another context, another container, another schema.
@Suite("Models that belong elsewhere don't trap")
struct ForeignModelTests {
  let container: ModelContainer
  let context: ModelContext
  let other: ModelContext

  init() throws {
    container = try memoryContainer(Fragile.self)
    context = ModelContext(container)
    other = ModelContext(container)
  }

  func saved() throws -> Fragile {
    let model = Fragile("a")
    context.insert(model)
    try context.save()
    return model
  }

  func isRefused(_ error: any Error) -> Bool {
    if case SwiftDataError.modelValidationFailure = error { return true }
    return false
  }

  @Test("inserting a model of another context makes the save throw; both contexts go on")
  func secondContext() throws {
    let model = try saved()
    other.insert(model)
    #expect(model.modelContext === context)
    #expect(throws: SwiftDataError.self) { try other.save() }
    other.rollback()
    other.insert(Fragile("b"))
    try other.save()
    model.number = 1
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<Fragile>()) == 2)
  }

  @Test("a relationship to a model of another context makes the save throw")
  func relationshipAcrossContexts() throws {
    let model = try saved()
    let mine = Fragile("b")
    other.insert(mine)
    mine.mate = model
    #expect(throws: (any Error).self) { try other.save() }
    other.rollback()
    let again = Fragile("c")
    other.insert(again)
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Fragile>()) == 2)
  }

  @Test("so does one to a model of another container")
  func relationshipAcrossContainers() throws {
    let elsewhere = ModelContext(try memoryContainer(Fragile.self))
    let foreign = Fragile("f")
    elsewhere.insert(foreign)
    try elsewhere.save()
    let mine = Fragile("b")
    mine.pieces = [Piece(1, of: mine)]
    context.insert(mine)
    mine.mate = foreign
    #expect(throws: (any Error).self) { try context.save() }
    context.rollback()
    #expect(!context.hasChanges)
    try elsewhere.save()
  }

  @Test("deleting a model of another context does nothing")
  func deletion() throws {
    let model = try saved()
    other.delete(model)
    #expect(!other.hasChanges && !model.isDeleted)
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Fragile>()) == 1)
  }

  @Test("a class that the schema lacks is a typed error of save and fetch")
  func unknownClass() throws {
    context.insert(Stranger())
    #expect(throws: SwiftDataError.self) { try context.save() }
    context.rollback()
    #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Stranger>()) }
    #expect(throws: SwiftDataError.self) { try context.fetchCount(FetchDescriptor<Stranger>()) }
    context.delete(Stranger())
    try context.save()
  }
}
