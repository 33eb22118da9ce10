import SwiftData
import Testing

@Suite("A context tracks, saves and forgets changes")
struct ContextTests {
  @Test("inserted models have a temporary identity until they are saved")
  func identity() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    let quake = Quake(code: "a")
    context.insert(quake)
    #expect(quake.persistentModelID.isTemporary)
    #expect(quake.persistentModelID.storeIdentifier == nil)
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    let identifier = quake.persistentModelID
    #expect(!identifier.isTemporary)
    #expect(identifier.entityName == "Quake")
    #expect(!context.hasChanges)
    #expect(context.registeredModel(for: identifier) == quake)
    #expect(context.model(for: identifier) as? Quake === quake)
  }

  @Test("one instance stands for a row in a context")
  func uniquing() throws {
    let container = try memoryContainer(Quake.self)
    let context = ModelContext(container)
    let quake = Quake(code: "a")
    context.insert(quake)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Quake>()).first === quake)
    let other = try #require(try ModelContext(container).fetch(FetchDescriptor<Quake>()).first)
    #expect(other !== quake)
    #expect(other == quake)
  }

  @Test("a change is saved, and only by save")
  func update() throws {
    let container = try memoryContainer(Quake.self)
    let context = ModelContext(container)
    let quake = Quake(code: "a", magnitude: 1)
    context.insert(quake)
    try context.save()
    quake.magnitude = 2
    #expect(context.hasChanges && quake.hasChanges)
    #expect(context.changedModelsArray.count == 1)
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Quake>()).first?.magnitude == 1)
    try context.save()
    #expect(!quake.hasChanges)
    #expect(try other.fetch(FetchDescriptor<Quake>()).first?.magnitude == 2)
  }

  @Test("rollback restores committed values and drops insertions and deletions")
  func rollback() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    let kept = Quake(code: "kept", magnitude: 1, name: "home")
    context.insert(kept)
    try context.save()
    kept.magnitude = 5
    kept.location.name = "away"
    context.insert(Quake(code: "dropped"))
    context.delete(kept)
    #expect(kept.isDeleted)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(!kept.isDeleted)
    #expect(kept.magnitude == 1)
    #expect(kept.location.name == "home")
    #expect(try context.fetch(FetchDescriptor<Quake>()).map(\.code) == ["kept"])
  }

  @Test("a deleted model keeps its last values")
  func deletion() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    let quake = Quake(code: "a", magnitude: 3)
    context.insert(quake)
    try context.save()
    context.delete(quake)
    #expect(context.deletedModelsArray.count == 1)
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 0)
    try context.save()
    #expect(quake.isDeleted)
    #expect(quake.magnitude == 3)
    #expect(try context.fetch(FetchDescriptor<Quake>()).isEmpty)
  }

  @Test("a model that outlives its context can be read")
  func orphan() throws {
    func orphan() throws -> Quake {
      let context = ModelContext(try memoryContainer(Quake.self))
      context.insert(Quake(code: "a", magnitude: 3))
      try context.save()
      return try #require(try context.fetch(FetchDescriptor<Quake>()).first)
    }
    let quake = try orphan()
    #expect(quake.modelContext == nil)
    #expect(quake.magnitude == 3)
    quake.magnitude = 4
    #expect(quake.magnitude == 4)
  }

  @Test("an identifier without a row gives an empty model that is deleted")
  func missing() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    let quake = Quake(code: "a")
    context.insert(quake)
    try context.save()
    let identifier = quake.persistentModelID
    context.delete(quake)
    try context.save()
    let model = context.model(for: identifier)
    #expect(model.isDeleted)
    #expect((model as? Quake)?.code == "")
  }

  @Test("a class outside the schema is refused by save and fetch")
  func unknownClass() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    context.insert(Sample())
    #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Sample>()) }
    context.rollback()
    #expect(!context.hasChanges)
  }

  @Test("a failed save changes nothing and can be repeated")
  func failedSave() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    let first = Quake(code: "a")
    let second = Quake(code: "b")
    context.insert(first)
    context.insert(second)
    try context.save()
    second.code = "a"
    let third = Quake(code: "c")
    context.insert(third)
    #expect(throws: StoreError.self) { try context.save() }
    #expect(third.persistentModelID.isTemporary)
    #expect(context.hasChanges)
    second.code = "d"
    try context.save()
    let codes = try context.fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)])).map(
      \.code)
    #expect(codes == ["a", "c", "d"])
  }

  @Test("transaction saves, and passes an error on with the changes pending")
  func transaction() throws {
    struct Refused: Error {}
    let context = ModelContext(try memoryContainer(Quake.self))
    try context.transaction { context.insert(Quake(code: "a")) }
    #expect(!context.hasChanges)
    #expect(throws: Refused.self) {
      try context.transaction {
        context.insert(Quake(code: "b"))
        throw Refused()
      }
    }
    #expect(context.hasChanges)
  }
}
