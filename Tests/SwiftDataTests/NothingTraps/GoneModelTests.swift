import Foundation
import SwiftData
import Testing

/// Rows of docs/traps.md: models whose row, context or container no longer exists.
@Suite("Models without a row don't trap")
struct GoneModelTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Fragile.self)
    context = ModelContext(container)
  }

  func saved(_ name: String) throws -> Fragile {
    let model = Fragile(name, number: 7)
    model.pieces = [Piece(1, of: model)]
    context.insert(model)
    try context.save()
    return model
  }

  @Test("a deleted model keeps its last values, before and after the save")
  func deletedModel() throws {
    let model = try saved("a")
    context.delete(model)
    #expect(model.isDeleted && model.name == "a")
    try context.save()
    #expect(model.isDeleted)
    #expect(model.name == "a" && model.number == 7 && model.mood == .calm)
    #expect(model.mate == nil)
    _ = model.pieces.count
  }

  @Test(
    "a model deleted by another context keeps its values; an edit of it is given up, or brings it back"
  )
  func deletedElsewhere() throws {
    let model = try saved("a")
    let other = ModelContext(container)
    for found in try other.fetch(FetchDescriptor<Fragile>()) { other.delete(found) }
    try other.save()
    #expect(model.name == "a")
    model.number = 8
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<Fragile>()) == 0)
    #expect(model.isDeleted && model.number == 8)
    let second = try saved("b")
    try container.erase()
    second.number = 9
    context.mergePolicy = .propertyObjectTrump
    try context.save()
    #expect(try other.fetch(FetchDescriptor<Fragile>()).map(\.number) == [9])
  }

  @Test("a fetched model that was never read and whose row is deleted gives empty values")
  func neverLoaded() throws {
    _ = try saved("a")
    let other = ModelContext(container)
    var descriptor = FetchDescriptor<Fragile>()
    descriptor.propertiesToFetch = [\.name]
    let model = try #require(try other.fetch(descriptor).first)
    try container.erase()
    #expect(model.name == "a")
    #expect(model.number == 0 && model.words.isEmpty && model.spot == nil)
    #expect(model.isDeleted)
  }

  @Test("a rolled back insertion keeps its values and can be inserted again")
  func rolledBack() throws {
    let model = Fragile("a")
    context.insert(model)
    context.rollback()
    #expect(model.name == "a" && model.modelContext == nil)
    context.insert(model)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Fragile>()) == 1)
  }

  @Test("models that were inserted together and rolled back keep lists that nobody had read")
  func rolledBackLists() throws {
    let kept = try saved("b")
    let moved = try #require(kept.pieces.first)
    let whole = Fragile("a")
    let piece = Piece(2, of: whole)
    context.insert(whole)
    context.insert(piece)
    moved.whole = whole
    context.rollback()
    #expect(whole.pieces.map(\.number) == [2] && piece.whole === whole)
    #expect(moved.whole === kept)
    context.insert(whole)
    try context.save()
    let stored = try ModelContext(container).fetch(FetchDescriptor<Piece>())
    #expect(Set(stored.map(\.whole.name)) == ["a", "b"])
  }

  @Test(
    "a saved model leaves the list of a rolled back one with its own change, read or not",
    arguments: [false, true])
  func rolledBackSavedModel(isRead: Bool) throws {
    let kept = try saved("b")
    let moved = try #require(kept.pieces.first)
    let whole = Fragile("a")
    context.insert(whole)
    moved.whole = whole
    if isRead { whole.pieces.append(Piece(2, of: whole)) }
    context.rollback()
    #expect(whole.pieces.map(\.number) == (isRead ? [2] : []))
    #expect(moved.whole === kept && kept.pieces.count == 1)
    context.insert(whole)
    try context.save()
    #expect(moved.whole === kept && whole.pieces.count == (isRead ? 1 : 0))
  }

  @Test("a saved model that was put into the list of a new one stays there when it is rolled back")
  func rolledBackOwnList() throws {
    let kept = try saved("b")
    let moved = try #require(kept.pieces.first)
    let whole = Fragile("a")
    context.insert(whole)
    whole.pieces = [moved]
    context.rollback()
    #expect(whole.pieces.count == 1 && moved.whole === kept)
    context.insert(whole)
    try context.save()
    #expect(moved.whole === whole && kept.pieces.isEmpty)
  }

  @Test("models whose context ends before a save keep lists that nobody had read")
  func unsavedLists() throws {
    let whole = Fragile("a")
    do {
      let form = ModelContext(container)
      form.insert(whole)
      form.insert(Piece(3, of: whole))
      #expect(form.insertedModelsArray.count == 2)
    }
    #expect(whole.modelContext == nil && whole.pieces.map(\.number) == [3])
    context.insert(whole)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Piece>()) == 1)
  }

  @Test("a model that outlives its context, and its container, can be read and changed")
  func contextGone() throws {
    func orphan() throws -> Fragile {
      let context = ModelContext(try memoryContainer(Fragile.self))
      let model = Fragile("a")
      model.pieces = [Piece(1, of: model)]
      context.insert(model)
      try context.save()
      return model
    }
    let model = try orphan()
    #expect(model.modelContext == nil)
    #expect(model.name == "a")
    _ = model.pieces.count
    model.name = "b"
    model.mate = Fragile("c")
    #expect(model.name == "b")
  }

  @Test("a context keeps its container alive")
  func containerGone() throws {
    weak var known: ModelContainer?
    let context: ModelContext = try {
      let container = try memoryContainer(Fragile.self)
      known = container
      return ModelContext(container)
    }()
    #expect(known != nil)
    context.insert(Fragile("a"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Fragile>()) == 1)
  }

  @Test("an identifier without a row gives an empty model that is deleted")
  func unknownIdentifier() throws {
    let model = try saved("a")
    let identifier = model.persistentModelID
    context.delete(model)
    try context.save()
    let hollow = try #require(ModelContext(container).model(for: identifier) as? Fragile)
    #expect(hollow.isDeleted)
    #expect(hollow.name == "" && hollow.pieces.isEmpty && hollow.mate == nil)
    let foreign = try PersistentIdentifier.identifier(
      for: "elsewhere", entityName: "Nothing", primaryKey: "p1")
    #expect(context.model(for: foreign).isDeleted)
  }

  @Test(
    "a relationship that isn't optional gives an empty model for a deleted destination",
    .enabled(if: StoreKind.tested == .sqlite, "a server deletes what leads to the row"))
  func missingDestination() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Fragile.self))
      let model = Fragile("a")
      model.pieces = [Piece(1, of: model)]
      context.insert(model)
      try context.save()
    }
    try store.execute("DELETE FROM \"Fragile\"")
    let context = ModelContext(try store.container(Fragile.self))
    let piece = try #require(try context.fetch(FetchDescriptor<Piece>()).first)
    #expect(piece.whole.isDeleted)
    #expect(piece.whole.name == "")
  }

  @Test("deleting and inserting twice is the same as once, as is deleting an uninserted model")
  func twice() throws {
    let model = Fragile("a")
    context.delete(model)
    context.insert(model)
    context.insert(model)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Fragile>()) == 1)
    context.insert(model)
    try context.save()
    context.delete(model)
    context.delete(model)
    try context.save()
    context.delete(model)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Fragile>()) == 0)
  }

  @Test(
    "a model that was deleted and saved can be changed without effect, and inserted as a new one")
  func afterDeletion() throws {
    let model = try saved("a")
    context.delete(model)
    try context.save()
    model.name = "b"
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Fragile>()) == 0)
    context.insert(model)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Fragile>()).map(\.name) == ["b"])
  }

  @Test(
    "a property whose type has no empty value ends the program, with a message: the one case left")
  func noEmptyValue() async {
    let end = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = ModelContext(try memoryContainer(Vault.self))
      context.insert(Vault(.word("x")))
      try context.save()
      let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Vault>()).first)
      try context.container.erase()
      let hollow = ModelContext(context.container).model(for: identifier) as? Vault
      print(hollow?.secret as Any)
    }
    let message = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Vault has no value for property 0"))
  }
}
