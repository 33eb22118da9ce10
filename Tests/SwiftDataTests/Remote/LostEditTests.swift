import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@Suite("An edit of a model that was fetched in part, and whose row was deleted elsewhere,")
struct LostEditTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try memoryContainer(Quake.self)
    context = ModelContext(container)
    let writer = ModelContext(container)
    for code in ["a", "b"] { writer.insert(Quake(code: code, magnitude: 1)) }
    try writer.save()
  }

  /// Returns the models, of which the first has no row any more.
  private func quakes() throws -> [Quake] {
    var descriptor = FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code, comparator: .lexical)])
    descriptor.propertiesToFetch = [\.code]
    let quakes = try context.fetch(descriptor)
    try container.batchDelete(Quake.self, where: #Predicate { $0.code == "a" })
    return quakes
  }

  private func stored() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Quake>()).map {
      "\($0.code) \($0.magnitude)"
    }
  }

  /// Returns the identifiers that the notification of the context's next save names as discarded.
  private func saved() throws -> [PersistentIdentifier]? {
    nonisolated(unsafe) var told: [AnyHashable: Any] = [:]
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { told = $0.userInfo ?? [:] }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    return told[ModelContext.NotificationKey.discardedIdentifiers.rawValue]
      as? [PersistentIdentifier]
  }

  @Test(
    "is discarded by the save, which names it",
    arguments: [
      MergePolicy.deletionTrump, .propertyObjectTrump, .propertyStoreTrump, .overwrite, .rollback,
    ], [false, true])
  func discarded(policy: MergePolicy, isReadBefore: Bool) throws {
    context.mergePolicy = policy
    let quake = try quakes()[0]
    if isReadBefore { _ = quake.magnitude }
    quake.magnitude = 5
    #expect(quake.isDeleted && context.hasChanges)
    #expect(context.changedModelsArray.count == 1)
    #expect(try saved() == [quake.persistentModelID])
    #expect(!context.hasChanges && quake.isDeleted)
    #expect(try stored() == ["b 1.0"])
  }

  @Test("is a conflict with the policy error, until it is rolled back or the model is deleted")
  func conflict() throws {
    context.mergePolicy = .error
    let quake = try quakes()[0]
    quake.code = "c"
    quake.magnitude = 5
    for _ in 0..<2 {
      let error = try #require(throws: MergeConflictError.self) { try context.save() }
      let conflict = try #require(error.conflicts.first)
      #expect(error.conflicts.count == 1 && conflict.kind == .deletedInStore)
      #expect(conflict.persistentModelID == quake.persistentModelID)
      #expect(Set(conflict.editedProperties) == ["code", "magnitude"])
      #expect(conflict.localValue(of: "magnitude") as? Double == 5)
      #expect(conflict.baseValue(of: "magnitude") == nil)
      #expect(conflict.storedValue(of: "magnitude") == nil)
    }
    context.rollback()
    #expect(!context.hasChanges)
    #expect(try saved() == nil)
    quake.magnitude = 6
    #expect(throws: MergeConflictError.self) { try context.save() }
    context.delete(quake)
    #expect(try saved() == nil)
    #expect(try stored() == ["b 1.0"])
  }

  @Test("is none of a model that is inserted again, as a new one", arguments: [false, true])
  func insertedAgain(isConflict: Bool) throws {
    if isConflict { context.mergePolicy = .error }
    let quake = try quakes()[0]
    quake.magnitude = 5
    if isConflict { #expect(throws: MergeConflictError.self) { try context.save() } }
    context.rollback()
    let other = Quake(code: "n")
    context.insert(other)
    context.insert(quake)
    quake.magnitude = 6
    quake.time = .now
    quake.location = Location(name: "here", longitude: 0, latitude: 0)
    #expect(!quake.isDeleted && context.changedModelsArray.isEmpty)
    // Leaves a gap among the inserted models.
    context.delete(other)
    #expect(try saved() == [])
    #expect(!context.hasChanges)
    #expect(try stored().sorted() == ["a 6.0", "b 1.0"])
  }

  @Test("of a model that was deleted here before leaves the deletion to the save")
  func deleted() throws {
    var descriptor = FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code, comparator: .lexical)])
    descriptor.propertiesToFetch = [\.code]
    let quakes = try context.fetch(descriptor)
    for quake in quakes.reversed() { context.delete(quake) }
    try container.batchDelete(Quake.self, where: #Predicate { $0.code == "a" })
    context.insert(quakes[1])
    #expect(quakes[1].magnitude == 1)
    quakes[0].magnitude = 5
    #expect(context.changedModelsArray.isEmpty)
    try context.save()
    #expect(!context.hasChanges && context.deletedModelsArray.isEmpty)
    #expect(try stored() == ["b 1.0"])
  }

  @Test("doesn't hold up edits of others, whose missing values are read with its own")
  func others() throws {
    let quakes = try quakes()
    quakes[1].magnitude = 2
    quakes[0].magnitude = 5
    #expect(try saved() == [quakes[0].persistentModelID])
    #expect(try stored() == ["b 2.0"])
  }
}
