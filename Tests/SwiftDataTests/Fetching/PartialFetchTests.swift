import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Suite("Fetching some of the properties")
struct PartialFetchTests {
  private func container(_ count: Int) throws -> ModelContainer {
    let container = try memoryContainer(Quake.self)
    let context = ModelContext(container)
    for index in 0..<count {
      context.insert(Quake(code: "q\(index)", magnitude: Double(index), name: "n\(index)"))
    }
    try context.save()
    return container
  }

  private var codes: FetchDescriptor<Quake> {
    var descriptor = FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.magnitude)])
    descriptor.propertiesToFetch = [\.code]
    return descriptor
  }

  private func partial(_ quakes: [Quake]) -> Int {
    quakes.filter { $0._$modelState.partial != nil }.count
  }

  @Test("a property that was left out loads when read, with those of 256 siblings")
  func siblings() throws {
    let context = ModelContext(try container(600))
    let before = context.container.executedStatementCount
    let quakes = try context.fetch(codes)
    #expect(quakes.map(\.code) == (0..<600).map { "q\($0)" })
    #expect(partial(quakes) == 600)
    #expect(quakes[300].magnitude == 300)
    #expect(partial(quakes) == 344)
    #expect(quakes[300].location.name == "n300")
    #expect(quakes.map(\.location.name) == (0..<600).map { "n\($0)" })
    #expect(partial(quakes) == 0)
    #expect(context.container.executedStatementCount - before == 4)
    #expect(!context.hasChanges)
  }

  @Test("an edit of a partly loaded model is saved, and taken back by rollback")
  func edit() throws {
    let container = try container(3)
    let context = ModelContext(container)
    let quakes = try context.fetch(codes)
    quakes[0].magnitude = 100
    quakes[1].location.name = "x"
    context.rollback()
    #expect(quakes.map(\.magnitude) == [0, 1, 2])
    #expect(quakes.map(\.location.name) == ["n0", "n1", "n2"])
    quakes[2].magnitude = 50
    try context.save()
    let other = try ModelContext(container).fetch(FetchDescriptor<Quake>())
    #expect(other.map(\.magnitude).sorted() == [0, 1, 50])
    #expect(other.map(\.location.name).sorted() == ["n0", "n1", "n2"])
  }

  @Test("models that the context had are brought up to date as a whole")
  func staleModels() throws {
    let container = try container(2)
    let context = ModelContext(container)
    let known = try context.fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.magnitude)]))
    let other = ModelContext(container)
    try #require(try other.fetch(codes).last).location.name = "newer"
    try other.save()
    #expect(try context.fetch(codes).last === known.last)
    #expect(known.map(\.location.name) == ["n0", "newer"])
  }

  @Test("a later fetch of everything completes them")
  func completion() throws {
    let context = ModelContext(try container(3))
    let quakes = try context.fetch(codes)
    _ = try context.fetch(FetchDescriptor<Quake>())
    #expect(partial(quakes) == 0)
    #expect(quakes.map(\.magnitude) == [0, 1, 2])
  }

  @Test("the row of a partially loaded model may be deleted before the rest is read")
  func goneRow() throws {
    let container = try container(2)
    let context = ModelContext(container)
    let quakes = try context.fetch(codes)
    let other = ModelContext(container)
    other.delete(try #require(try other.fetch(codes).last))
    try other.save()
    #expect(quakes.map(\.magnitude) == [0, 0])
    #expect(quakes.map(\.isDeleted) == [false, true])
    #expect(quakes.map(\.code) == ["q0", "q1"])
  }

  @Test("a member's key path loads its composite; one that isn't persisted is refused")
  func keyPaths() throws {
    let context = ModelContext(try container(1))
    var descriptor = codes
    descriptor.propertiesToFetch = [\.location.name]
    #expect(try context.fetch(descriptor).map(\.location.name) == ["n0"])
    descriptor.propertiesToFetch = [\.persistentModelID]
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
  }
}
