import SwiftData
import Testing

@Suite("A fetch without pending changes filters and sorts by stored values in memory, too")
struct StoredValueFetchTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Fragile.self)
    let filling = ModelContext(container)
    for (number, name) in ["a", "b", "c"].enumerated() {
      let model = Fragile(name, number: number)
      model.pieces = [Piece(number, of: model)]
      filling.insert(model)
    }
    try filling.save()
    context = ModelContext(container)
  }

  /// A condition that SQL leaves to memory, because the property is computed.
  private func descriptor(_ shouts: [String]) -> FetchDescriptor<Fragile> {
    var descriptor = FetchDescriptor<Fragile>(
      predicate: #Predicate { shouts.contains($0.shout) },
      sortBy: [SortDescriptor(\.shout, order: .reverse)])
    descriptor.includePendingChanges = false
    return descriptor
  }

  @Test("for all kinds of fetches")
  func kinds() throws {
    let all = try context.fetch(FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.name)]))
    all[0].name = "z"
    context.delete(all[2])
    context.insert(Fragile("a"))
    let first = descriptor(["A", "C", "Z"])
    let found = try context.fetch(first)
    #expect(found.map(\.number) == [2, 0])
    #expect(found.last === all[0] && all[0].name == "z")
    #expect(try context.fetchCount(first) == 2)
    #expect(try context.fetchIdentifiers(first) == found.map(\.persistentModelID))
    #expect(try context.fetch(first, batchSize: 1).map(\.number) == [2, 0])
    var page = first
    page.fetchOffset = 1
    page.fetchLimit = 1
    #expect(try context.fetch(page).map(\.number) == [0])
    page.propertiesToFetch = [\.number]
    page.relationshipKeyPathsForPrefetching = [\.pieces]
    #expect(try context.fetch(page).map(\.number) == [0])
    var merged = first
    merged.includePendingChanges = true
    #expect(try context.fetch(merged).map(\.name) == ["z", "a"])
  }

  @Test("where the values are those of related models")
  func related() throws {
    let model = try #require(
      try context.fetch(FetchDescriptor<Fragile>(predicate: #Predicate { $0.name == "b" })).first)
    model.name = "z"
    var pieces = FetchDescriptor<Piece>(predicate: #Predicate { $0.whole.shout == "B" })
    pieces.includePendingChanges = false
    #expect(try context.fetch(pieces).map(\.number) == [1])
    pieces = FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.whole.shout)])
    pieces.includePendingChanges = false
    #expect(try context.fetch(pieces).map(\.number) == [0, 1, 2])
    #expect(model.hasChanges)
  }
}
