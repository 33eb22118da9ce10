import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@Suite("Generic models")
struct GenericModelTests {
  /// Stores models with a value and nil, with the value twice, and expects another context to read them.
  private func expectStored<Value: Codable & Equatable & Sendable>(_ value: Value) throws {
    let container = try memoryContainer(GenericBox<Value>.self)
    let context = ModelContext(container)
    context.insert(GenericBox(value))
    try context.save()
    context.insert(GenericBox(value, maybe: value))
    try context.save()
    let other = ModelContext(container)
    let boxes = try other.fetch(FetchDescriptor<GenericBox<Value>>())
      .sorted { $0.maybe == nil && $1.maybe != nil }
    #expect(boxes.map(\.value) == [value, value])
    #expect(boxes.map(\.maybe) == [nil, value])
    #expect(boxes.map(\.opaque) == [value, value])
    // A change is written in the same form.
    let first = try #require(boxes.first)
    first.maybe = value
    try other.save()
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<GenericBox<Value>>()).map(\.maybe)
        == [value, value])
  }

  @Test("have values of any type that a property may have")
  func values() throws {
    try expectStored(7)
    try expectStored("seven")
    try expectStored(true)
    try expectStored(2.5)
    try expectStored(Float(2.5))
    try expectStored(UInt64.max)
    try expectStored(Decimal(string: "1.25") ?? 0)
    try expectStored(Date(timeIntervalSinceReferenceDate: 1.5))
    try expectStored(Data([1, 2, 3]))
    try expectStored(UUID())
    try expectStored(URL(filePath: "/a"))
    try expectStored(GenericTone.high)
    try expectStored(GenericFrame(width: 3, note: "x"))
    try expectStored(["a", "b"])
    try expectStored([GenericTone.low.rawValue: 1])
  }

  @Test("have raw values of any type")
  func rawValues() throws {
    let container = try memoryContainer(GenericScale<GenericTone>.self)
    let context = ModelContext(container)
    context.insert(GenericScale(GenericTone.high))
    context.insert(GenericScale(GenericTone.low, maybe: .high))
    try context.save()
    let scales = try ModelContext(container).fetch(
      FetchDescriptor<GenericScale<GenericTone>>(
        predicate: #Predicate { $0.maybe != nil || $0.step.rawValue == "high" }))
    #expect(Set(scales.map(\.step.rawValue)) == ["low", "high"])
    #expect(scales.compactMap(\.maybe) == [.high])
  }

  @Test("are filtered and sorted in the database")
  func queries() throws {
    let container = try memoryContainer(GenericBox<Int>.self)
    let context = ModelContext(container)
    for number in [3, 1, 2] { context.insert(GenericBox(number)) }
    try context.save()
    let large = FetchDescriptor<GenericBox<Int>>(
      predicate: #Predicate { $0.value > 1 }, sortBy: [SortDescriptor(\.value)])
    #expect(try ModelContext(container).fetch(large).map(\.value) == [2, 3])
    #expect(try context.explain(large).inMemory.isEmpty)
  }

  @Test("are filtered and sorted in the database by what a subclass inherits")
  func inheritedProperties() throws {
    let container = try memoryContainer(GenericBase<String>.self, GenericHeir.self)
    let context = ModelContext(container)
    for number in [3, 1, 2] { context.insert(GenericHeir(number: number)) }
    try context.save()
    let large = FetchDescriptor<GenericHeir>(
      predicate: #Predicate { $0.number > 1 && $0.value != "x" },
      sortBy: [SortDescriptor(\.value, comparator: .lexical)])
    #expect(try ModelContext(container).fetch(large).map(\.number) == [2, 3])
    #expect(try context.explain(large).inMemory.isEmpty)
  }

  @Test("are sorted by members that are unwrapped by force, in generic code, too")
  func forcedOrder() throws {
    let container = try memoryContainer(GenericBox<Int>.self)
    let context = ModelContext(container)
    context.insert(GenericBox(1, maybe: 9))
    context.insert(GenericBox(2, maybe: 8))
    context.insert(GenericBox(3))
    func values<Value>(_ order: SortDescriptor<GenericBox<Value>>) throws -> [Value] {
      try context.fetch(FetchDescriptor(sortBy: [order])).map(\.value)
    }
    func inGenericCode<Value: Codable & Comparable & Sendable>(
      _ type: Value.Type
    ) throws -> [Value] {
      try values(SortDescriptor(\GenericBox<Value>.maybe!))
    }
    for _ in 0..<2 {
      #expect(try values(SortDescriptor(\GenericBox<Int>.maybe!)) == [3, 2, 1])
      #expect(try inGenericCode(Int.self) == [3, 2, 1])
      try context.save()
    }
  }

  @Test("of several types are several entities")
  func severalTypes() throws {
    let container = try memoryContainer(GenericBox<Int>.self, GenericBox<String>.self)
    let context = ModelContext(container)
    context.insert(GenericBox(1))
    context.insert(GenericBox("a"))
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<GenericBox<Int>>()).map(\.value) == [1])
    #expect(try other.fetch(FetchDescriptor<GenericBox<String>>()).map(\.value) == ["a"])
  }

  @Test("lead to models")
  func links() throws {
    let container = try memoryContainer(GenericLink<GenericBox<Int>>.self)
    let context = ModelContext(container)
    context.insert(GenericLink(GenericBox(5)))
    try context.save()
    let links = try ModelContext(container).fetch(FetchDescriptor<GenericLink<GenericBox<Int>>>())
    #expect(links.map(\.target?.value) == [5])
  }
}
