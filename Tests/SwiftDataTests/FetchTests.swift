import SwiftData
import SwiftDataCore
import Testing

@Suite("Fetches include stored and pending models alike")
struct FetchTests {
  private func context(pending: Bool) throws -> ModelContext {
    let context = ModelContext(try memoryContainer(Quake.self))
    for number in 0..<20 {
      context.insert(
        Quake(
          code: "c\(number)", magnitude: Double(number) / 2,
          time: Date(timeIntervalSinceReferenceDate: Double(number)),
          name: number.isMultiple(of: 2) ? "Café \(number)" : "bar \(number)",
          longitude: Double(number)))
    }
    if !pending { try context.save() }
    return context
  }

  @Test("predicates, sorts, limit and offset", arguments: [false, true])
  func descriptors(pending: Bool) throws {
    let context = try context(pending: pending)
    var descriptor = FetchDescriptor<Quake>(
      predicate: #Predicate { $0.magnitude > 4 && $0.location.longitude < 18 },
      sortBy: [SortDescriptor(\.time, order: .reverse)])
    #expect(try context.fetch(descriptor).map(\.code) == (9..<18).reversed().map { "c\($0)" })
    #expect(try context.fetchCount(descriptor) == 9)
    descriptor.fetchLimit = 3
    descriptor.fetchOffset = 2
    #expect(try context.fetch(descriptor).map(\.code) == ["c15", "c14", "c13"])
    #expect(try context.fetchCount(descriptor) == 3)
  }

  @Test("text search ignores case and accents", arguments: [false, true])
  func localizedSearch(pending: Bool) throws {
    let context = try context(pending: pending)
    let text = "cafe 1"
    let found = try context.fetch(
      FetchDescriptor<Quake>(
        predicate: #Predicate { $0.location.name.localizedStandardContains(text) },
        sortBy: [SortDescriptor(\.time)]))
    #expect(found.map(\.code) == ["c10", "c12", "c14", "c16", "c18"])
  }

  @Test("captured collections", arguments: [false, true])
  func membership(pending: Bool) throws {
    let context = try context(pending: pending)
    let codes: Set = ["c3", "c5", "none"]
    let found = try context.fetch(
      FetchDescriptor<Quake>(
        predicate: #Predicate { codes.contains($0.code) }, sortBy: [SortDescriptor(\.code)]))
    #expect(found.map(\.code) == ["c3", "c5"])
  }

  @Test("pending changes are included, unless the descriptor excludes them")
  func pendingChanges() throws {
    let context = try context(pending: false)
    var all = FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.magnitude, order: .reverse)])
    let models = try context.fetch(all)
    models[0].magnitude = -1
    context.delete(models[1])
    context.insert(Quake(code: "new", magnitude: 100))
    #expect(try context.fetch(all).first?.code == "new")
    #expect(try context.fetch(all).last?.code == "c19")
    #expect(try context.fetchCount(all) == 20)
    all.fetchLimit = 2
    #expect(try context.fetch(all).map(\.code) == ["new", "c17"])
    all.includePendingChanges = false
    #expect(try context.fetch(all).map(\.code) == ["c19", "c18"])
  }

  @Test("identifiers resolve to their models")
  func identifiers() throws {
    let context = try context(pending: false)
    let identifiers = try context.fetchIdentifiers(
      FetchDescriptor<Quake>(predicate: #Predicate { $0.code == "c7" }))
    let identifier = try #require(identifiers.first)
    #expect((context.model(for: identifier) as? Quake)?.magnitude == 3.5)
    let data = try JSONEncoder().encode(identifier)
    #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == identifier)
  }

  @Test("names sort as people expect: numbers by value, case and accents second")
  func localizedSort() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    for name in ["b", "a10", "A2", "ä1", "a1"] { context.insert(Quake(code: name)) }
    try context.save()
    let sorted = try context.fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)]))
    #expect(sorted.map(\.code) == ["a1", "ä1", "A2", "a10", "b"])
  }

  @Test("predicates beyond SQL are evaluated in memory, with the same result and before the limit")
  func memoryFilter() throws {
    let context = ModelContext(try memoryContainer(Sample.self))
    for number in 0..<6 {
      let sample = Sample(int: number)
      if number.isMultiple(of: 2) { sample.strings = ["other"] }
      context.insert(sample)
    }
    try context.save()
    let before = MemoryFiltering.count
    var descriptor = FetchDescriptor<Sample>(
      predicate: #Predicate { $0.int > 0 && $0.strings.last == "b" },
      sortBy: [SortDescriptor(\.int)])
    descriptor.fetchLimit = 2
    #expect(try context.fetch(descriptor).map(\.int) == [1, 3])
    #expect(try context.fetchCount(descriptor) == 2)
    #expect(MemoryFiltering.count > before)
  }
}
