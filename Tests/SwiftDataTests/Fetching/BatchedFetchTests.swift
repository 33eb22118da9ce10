import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Suite("Fetching in batches")
struct BatchedFetchTests {
  private func container(_ count: Int) throws -> ModelContainer {
    let container = try memoryContainer(Quake.self)
    let context = ModelContext(container)
    for index in 0..<count { context.insert(Quake(code: "q\(index)", magnitude: Double(index))) }
    try context.save()
    return container
  }

  private func descriptor(
    _ predicate: Predicate<Quake>? = nil
  ) -> FetchDescriptor<Quake> {
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.magnitude)])
    descriptor.includePendingChanges = false
    return descriptor
  }

  @Test("pending changes can't take part")
  func pendingChanges() throws {
    let context = ModelContext(try container(1))
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetch(FetchDescriptor<Quake>(), batchSize: 10)
    }
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetchIdentifiers(FetchDescriptor<Quake>(), batchSize: 10)
    }
  }

  @Test("a batch is loaded when one of its elements is read, and once", arguments: [1, 7, 100])
  func laziness(batchSize: Int) throws {
    let context = ModelContext(try container(20))
    let quakes = try context.fetch(
      descriptor(#Predicate { $0.magnitude >= 3 }), batchSize: batchSize)
    #expect(quakes.count == 17)
    #expect(quakes.loadedBatchCount == 0)
    #expect(quakes[16].magnitude == 19)
    #expect(quakes.loadedBatchCount == 1)
    #expect(quakes[16] === quakes.last)
    #expect(quakes.loadedBatchCount == 1)
    #expect(quakes.map(\.magnitude) == (3..<20).map(Double.init))
    #expect(quakes.loadedBatchCount == (17 + batchSize - 1) / batchSize)
  }

  @Test("requested relationships arrive with each batch; other key paths are refused at once")
  func prefetching() throws {
    let container = try memoryContainer(UndoShelf.self)
    let context = ModelContext(container)
    for index in 0..<4 {
      let shelf = UndoShelf(name: "\(index)")
      shelf.volumes = [UndoVolume(title: "v\(index)")]
      context.insert(shelf)
    }
    try context.save()
    var descriptor = FetchDescriptor<UndoShelf>(sortBy: [SortDescriptor(\.name)])
    descriptor.includePendingChanges = false
    descriptor.relationshipKeyPathsForPrefetching = [\.volumes]
    let other = ModelContext(container)
    let shelves = try other.fetch(descriptor, batchSize: 2)
    #expect(shelves[3].volumes.map(\.title) == ["v3"])
    let before = container.executedStatementCount
    #expect(shelves[2].volumes.map(\.title) == ["v2"])
    #expect(container.executedStatementCount == before)
    descriptor.relationshipKeyPathsForPrefetching = [\.name]
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try other.fetch(descriptor, batchSize: 2)
    }
  }

  @Test("it is the context's instances that come")
  func identity() throws {
    let context = ModelContext(try container(5))
    let known = try context.fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.magnitude)]))
    let batched = try context.fetch(descriptor(), batchSize: 2)
    #expect(zip(known, batched).allSatisfy { $0 === $1 })
    let identifiers = try context.fetchIdentifiers(descriptor(), batchSize: 2)
    #expect(Array(identifiers) == known.map(\.persistentModelID))
  }

  @Test("a predicate that SQL can't express selects the same models")
  func filteredInMemory() throws {
    let context = ModelContext(try memoryContainer(Sample.self))
    for number in 0..<4 {
      let sample = Sample(int: number)
      if number == 2 { sample.strings = ["other"] }
      context.insert(sample)
    }
    try context.save()
    var descriptor = FetchDescriptor<Sample>(
      predicate: #Predicate { $0.strings.contains("other") })
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor, batchSize: 3).map(\.int) == [2])
  }

  @Test("an element whose row went in between is an empty, deleted model")
  func goneRow() throws {
    let container = try container(4)
    let context = ModelContext(container)
    let quakes = try context.fetch(descriptor(), batchSize: 2)
    let other = ModelContext(container)
    for quake in try other.fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude > 2 }))
    {
      other.delete(quake)
    }
    try other.save()
    #expect(quakes.map(\.isDeleted) == [false, false, false, true])
    #expect(quakes[3].code == "")
  }
}
