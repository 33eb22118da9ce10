import PostgresTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("The rows that a deletion reaches")
struct StoreReferencesTests {
  private func references(_ types: [any PersistentModel.Type]) throws -> StoreReferences {
    let plans = try EntityPlan.plans(of: Schema(types).types)
    return StoreReferences(
      plans,
      Dictionary(
        plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first }))
  }

  @Test("are known by table, with what happens to them, those that go first in front")
  func rules() throws {
    let references = try references([Sample.self, SampleGroup.self, Tag.self])
    let groups = references.references["SampleGroup"] ?? []
    #expect(
      Set(groups.map { "\($0.plan.name).\($0.column) \($0.deletesRows)" }) == [
        "Sample.\"group\" true", "SampleGroup.\"parent\" false",
      ])
    #expect(references.references["Sample"] == nil)
    #expect(references.pairs["Tag"]?.count == 1 && references.pairs["SampleGroup"]?.count == 1)
    let order = references.order
    #expect(
      try #require(order.firstIndex(of: "Sample"))
        < (try #require(order.firstIndex(of: "SampleGroup"))))
    #expect(!references.isCyclic)
  }

  @Test("may lead back")
  func cycles() throws {
    #expect(try references([Ring.self, Stone.self]).isCyclic)
  }
}

@Suite("Deletions that lead back", .server)
struct CyclicDeletionTests {
  @Test("are in the history with all rows, each once")
  func deletion() throws {
    let container = try ModelContainer(
      for: Schema([Ring.self, Stone.self]),
      configurations: [
        PostgresConfiguration(uniqueName("store"), url: try PostgresServer.shared.url)
      ])
    let context = ModelContext(container)
    let (ring, stone) = (Ring("ring"), Stone("stone"))
    context.insert(ring)
    context.insert(stone)
    stone.ring = ring
    try context.save()
    // Another context makes the circle, with one ring more.
    let other = ModelContext(container)
    let second = Ring("second")
    other.insert(second)
    second.stone = try other.fetch(FetchDescriptor<Stone>()).first
    try other.save()
    context.delete(ring)
    try context.save()
    #expect(
      try context.history().last?.summary.sorted() == [
        "delete Ring", "delete Ring", "delete Stone",
      ])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ring>()) == 0)
    let again = ModelContext(container)
    again.insert(Ring("again"))
    try again.save()
    try container.erase()
    #expect(try again.history().last?.summary == ["delete Ring"])
  }
}

@Model
final class Ring {
  @Attribute(.preserveValueOnDeletion) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Stone.ring) var stones: [Stone] = []
  var stone: Stone?

  init(_ name: String) { self.name = name }
}

@Model
final class Stone {
  var name: String
  var ring: Ring?
  @Relationship(deleteRule: .cascade, inverse: \Ring.stone) var rings: [Ring] = []

  init(_ name: String) { self.name = name }
}
