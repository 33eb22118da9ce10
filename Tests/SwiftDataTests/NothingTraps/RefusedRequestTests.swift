import Foundation
import SwiftData
import Testing

/// Rows of docs/traps.md: predicates, sorts and key paths that Apple's framework traps on.
@Suite("Requests that can't be answered don't trap")
struct RefusedRequestTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Fragile.self)
    context = ModelContext(container)
    for (number, name) in ["a", "b", "c"].enumerated() {
      let model = Fragile(name, number: number, mood: number == 1 ? .wild : .calm)
      model.size = number == 0 ? nil : number
      model.spot = number == 2 ? nil : Spot(x: Double(number), name: number == 1 ? "here" : nil)
      context.insert(model)
    }
    try context.save()
  }

  func names(_ predicate: Predicate<Fragile>) throws -> [String] {
    try context.fetch(FetchDescriptor<Fragile>(predicate: predicate)).map(\.name).sorted()
  }

  @Test("members of an optional structure can be filtered and sorted by")
  func optionalComposite() throws {
    #expect(try names(#Predicate { $0.spot?.x == 1 }) == ["b"])
    #expect(try names(#Predicate { $0.spot == nil }) == ["c"])
    #expect(try names(#Predicate { $0.spot?.name == nil }) == ["a", "c"])
    let sorted = FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.spot?.x, order: .reverse)])
    #expect(try context.fetch(sorted).map(\.name) == ["b", "a", "c"])
  }

  @Test("stored arrays of texts can be searched")
  func storedArray() throws {
    #expect(try names(#Predicate { $0.words.contains("b") }) == ["b"])
    #expect(try names(#Predicate { !$0.words.isEmpty }) == ["a", "b", "c"])
  }

  @Test("enumerations can be compared, captured and not")
  func enumerations() throws {
    let wild = Mood.wild
    #expect(try names(#Predicate { $0.mood == wild }) == ["b"])
  }

  @Test("a forced unwrap of nil is an error, with and without pending changes")
  func forcedUnwrap() throws {
    // swift-format-ignore: NeverForceUnwrap
    let predicate = #Predicate<Fragile> { $0.size! > 1 }
    #expect(throws: (any Error).self) { try names(predicate) }
    context.insert(Fragile("d"))
    #expect(throws: (any Error).self) { try names(predicate) }
    #expect(try context.fetchCount(FetchDescriptor<Fragile>()) == 4)
  }

  @Test("a sort by a value unwrapped by force has nil first; of a computed one it is refused")
  func forcedSort() throws {
    func names(_ descriptor: SortDescriptor<Fragile>) throws -> [String] {
      try context.fetch(FetchDescriptor(sortBy: [descriptor, SortDescriptor(\.name)])).map(\.name)
        .filter { $0 != "z" }
    }
    for _ in 0..<2 {
      #expect(try names(SortDescriptor(\.size!)) == ["a", "b", "c"])
      #expect(try names(SortDescriptor(\.size!, order: .reverse)) == ["c", "b", "a"])
      #expect(try names(SortDescriptor(\.spot!.x)) == ["c", "a", "b"])
      #expect(try names(SortDescriptor(\.mate!.name)) == ["a", "b", "c"])
      #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
        try names(SortDescriptor(\.partner!.name))
      }
      context.insert(Fragile("z"))
    }
  }

  @Test("a relationship unwrapped by force is prefetched where it is there")
  func forcedPrefetching() throws {
    let found = try context.fetch(FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.name)]))
    found[0].mate = found[1]
    found[1].mate = found[2]
    try context.save()
    var descriptor = FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.name)])
    descriptor.relationshipKeyPathsForPrefetching = [\.mate!.mate]
    let mates = try ModelContext(container).fetch(descriptor).map(\.mate?.mate?.name)
    #expect(mates == ["c", nil, nil])
  }

  @Test("a computed property in a predicate or as sort key is evaluated in memory")
  func computedProperties() throws {
    let predicate = #Predicate<Fragile> { $0.shout == "B" }
    #expect(try names(predicate) == ["b"])
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
    let descriptor = FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.shout, order: .reverse)])
    #expect(try context.fetch(descriptor).map(\.name) == ["c", "b", "a"])
  }

  @Test("a computed property in propertiesToFetch or among the prefetched relationships is refused")
  func computedInProperties() throws {
    var descriptor = FetchDescriptor<Fragile>()
    descriptor.propertiesToFetch = [\.shout]
    #expect(throws: SwiftDataError.self) { try context.fetch(descriptor) }
    descriptor.propertiesToFetch = []
    descriptor.relationshipKeyPathsForPrefetching = [\.shout]
    #expect(throws: SwiftDataError.self) { try context.fetch(descriptor) }
    descriptor.relationshipKeyPathsForPrefetching = [\.name]
    #expect(throws: SwiftDataError.self) { try context.fetch(descriptor) }
    #expect(try context.fetch(FetchDescriptor<Fragile>()).count == 3)
  }

  @Test("limits and offsets of any size are bounds, not crashes")
  func bounds() throws {
    for limit in [-1, 0, .max] {
      for offset in [-5, 0, 2, Int.max] {
        var descriptor = FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.name)])
        descriptor.fetchLimit = limit
        descriptor.fetchOffset = offset
        let expected = max(0, 3 - max(0, offset))
        #expect(try context.fetch(descriptor).count == expected, "\(limit) \(offset)")
        context.insert(Fragile("z"))
        #expect(try context.fetch(descriptor).count <= 4)
        context.rollback()
      }
    }
  }

  @Test("arithmetic beyond Int, and division by zero, are typed errors, stored and pending")
  func arithmetic() throws {
    let (zero, one) = (0, 1)
    context.insert(Fragile("max", number: .max))
    for _ in 0..<2 {
      #expect(throws: SwiftDataError.self) { try names(#Predicate { $0.number + one < 0 }) }
      #expect(throws: SwiftDataError.self) { try names(#Predicate { $0.number / zero == 7 }) }
      try context.save()
    }
  }

  @Test("a batched fetch with pending changes is refused; a batch holds one model at least")
  func batches() throws {
    #expect(throws: SwiftDataError.self) {
      try context.fetch(FetchDescriptor<Fragile>(), batchSize: 2)
    }
    var descriptor = FetchDescriptor<Fragile>()
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor, batchSize: 0).count == 3)
  }
}

extension Fragile {
  /// A computed value that may be nil.
  fileprivate var partner: Fragile? { mate }
}
