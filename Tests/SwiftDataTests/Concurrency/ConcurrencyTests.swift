import SwiftData
import SwiftDataExtras
import Testing

@Suite("Contexts of one container work at the same time")
struct ConcurrencyTests {
  @ModelActor
  actor Importer {
    func insert(_ range: Range<Int>) throws {
      for number in range {
        modelContext.insert(Quake(code: "\(number)", magnitude: Double(number)))
        if number.isMultiple(of: 10) { try modelContext.save() }
      }
      try modelContext.save()
    }

    func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Quake>()) }
  }

  @ModelActor
  actor Remover {
    /// Whether a model is found before its deletion, and before the deletion is saved.
    func search() throws -> [Bool] {
      let quake = Quake(code: "gone")
      modelContext.insert(quake)
      try modelContext.save()
      let identifier = quake.persistentModelID
      let before = self[identifier, as: Quake.self] != nil
      modelContext.delete(quake)
      return [before, self[identifier, as: Quake.self] != nil]
    }
  }

  @Test("a model actor finds no model that is deleted")
  func deleted() async throws {
    let remover = Remover(modelContainer: try memoryContainer(Quake.self))
    #expect(try await remover.search() == [true, false])
  }

  @Test("parallel writers and readers lose nothing", arguments: [true, false])
  func parallel(inMemory: Bool) async throws {
    let store = try TemporaryStore()
    let container = try inMemory ? memoryContainer(Quake.self) : store.container(Quake.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          try await Importer(modelContainer: container).insert(writer * 50..<writer * 50 + 50)
        }
        group.addTask {
          for _ in 0..<20 {
            let count = try await Importer(modelContainer: container).count()
            #expect(count <= 200)
          }
        }
      }
      try await group.waitForAll()
    }
    let count = try await Importer(modelContainer: container).count()
    #expect(count == 200)
  }

  @Test(
    "readers see the state before an open batch, in memory and on file", arguments: [true, false])
  func openBatch(inMemory: Bool) throws {
    let store = try TemporaryStore()
    let container = try inMemory ? memoryContainer(Quake.self) : store.container(Quake.self)
    let batch = try BatchUpsert<Quake>(container)
    for number in 0..<500 { try batch.upsert(Quake(code: "\(number)")) }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 0)
    #expect(try batch.commit().inserted == 500)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 500)
  }
}
