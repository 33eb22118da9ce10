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

@Suite("The failure of a foreign key in words")
struct KeyFailureTests {
  private let references: StoreReferences

  init() throws {
    let plans = try EntityPlan.plans(
      of: Schema([Sample.self, SampleGroup.self, Tag.self, Quay.self]).types)
    references = StoreReferences(
      plans,
      Dictionary(
        plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first }))
  }

  private func explanation(
    _ key: String, of table: String = "", keepsDestination: Bool = false
  ) -> String? {
    var failure = PostgresFailure(sqlState: "23503", message: "")
    (failure.constraint, failure.table) = (key, table)
    failure.keepsDestination = keepsDestination
    return references.explanation(of: failure)
  }

  @Test("names the classes and the property, and the remedy")
  func columns() {
    #expect(
      explanation("Sample_group_reference")
        == "a Sample leads by group to a SampleGroup that another context or program has deleted, or"
        + " this change. Set that to nil or to another SampleGroup, or roll the changes back.")
    #expect(
      explanation("Sample_group_reference", keepsDestination: true)
        == "a SampleGroup can't be deleted while a Sample refers to it by group (delete rule deny, or"
        + " a relationship that isn't optional). Delete that one too, or give it another SampleGroup."
    )
  }

  @Test("has whole names of keys that the server shortens")
  func longNames() {
    let property = "aRelationshipWhoseNameIsLongerThanTheNameOfAKeyMayBe"
    let words = ["One", "Two"].map { end in
      explanation(PostgresStatementText.shortened("Quay_\(property)\(end)_reference"))
    }
    #expect(words[0]?.hasPrefix("a Quay leads by \(property)One to a Tag ") == true)
    #expect(words[1]?.hasPrefix("a Quay leads by \(property)Two to a Tag ") == true)
  }

  @Test("tells the ends of pairs")
  func pairs() throws {
    let table = try #require(references.pairs["Tag"]?.first?.table.name)
    let words = explanation("\(table)_owner_fkey", of: PostgresStatementText.shortened(table))
    #expect(words?.contains(" of which another context or program has deleted one") == true)
    #expect(words?.contains("a Tag") == true && words?.contains("a SampleGroup") == true)
  }

  @Test("doesn't guess at other programs' keys, and other failures")
  func others() {
    #expect(explanation("other_fkey", of: "other") == nil)
    var failure = PostgresFailure(sqlState: "23505", message: "")
    failure.constraint = "Sample_group_reference"
    #expect(references.explanation(of: failure) == nil)
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

/// Relationships whose keys have names that the server shortens.
@Model
final class Quay {
  @Relationship(inverse: nil) var aRelationshipWhoseNameIsLongerThanTheNameOfAKeyMayBeOne: Tag?
  @Relationship(inverse: nil) var aRelationshipWhoseNameIsLongerThanTheNameOfAKeyMayBeTwo: Tag?

  init() {}
}
