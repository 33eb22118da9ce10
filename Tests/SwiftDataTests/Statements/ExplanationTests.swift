import SwiftData
import Testing

@testable import SwiftDataCore
@testable import SwiftDataExtras

@Model
final class Lantern {
  #Index<Lantern>([\.height])
  var height: Double
  var name: String

  init(_ name: String, height: Double) {
    self.name = name
    self.height = height
  }
}

@Suite("The explanation of a fetch")
struct ExplanationTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Lantern.self)
    context = ModelContext(container)
  }

  @Test("has the statement, its values and the index, and fetches nothing")
  func indexed() throws {
    let descriptor = FetchDescriptor<Lantern>(
      predicate: #Predicate { $0.height == 2.5 }, sortBy: [SortDescriptor(\.height)])
    let before = container.executedStatementCount
    let explanation = try context.explain(descriptor)
    #expect(container.executedStatementCount == before)
    let (_, statements) = try container.recordingStatements { try context.fetch(descriptor) }
    #expect(explanation.sql == statements.first?.sql)
    #expect(explanation.bindings == ["2.5"])
    #expect(explanation.indices.count == 1)
    #expect(explanation.scannedTables.isEmpty)
    #expect(explanation.inMemory.isEmpty)
    #expect(explanation.description.contains("Nothing is left to memory."))
    #expect(explanation.description.contains("1: 2.5"))
  }

  @Test("names the table that is read as a whole")
  func scan() throws {
    let explanation = try context.explain(
      FetchDescriptor<Lantern>(predicate: #Predicate { $0.name == "a" }))
    #expect(explanation.scannedTables == ["Lantern"])
    #expect(explanation.description.contains("Every row of Lantern is read"))
  }

  @Test(
    "names no index that SQLite makes for one statement, but the table that it reads for it",
    .enabled(if: StoreKind.tested == .sqlite, "reads plans of SQLite"))
  func automaticIndex() throws {
    let store = try TemporaryStore()
    _ = try store.container(Lantern.self)
    let file = try SQLiteFile(store.file)
    let plan = try file.queryPlan(
      "SELECT 1 FROM Lantern AS t0 JOIN Lantern AS t1 ON t1.name = t0.name")
    try #require(plan.contains("USING AUTOMATIC COVERING INDEX (name=?)"))
    let answer = StoreExplanation(
      sql: "", bindings: [],
      plan: plan.components(separatedBy: "; ").map { (depth: 0, text: $0) }, filterReasons: [],
      sortReason: nil, tables: ["t0": "Lantern"])
    let fetch = ModelContext.ExplainedFetch(
      entity: "Lantern", store: "default", explanation: answer, pendingChanges: 0)
    let explanation = FetchExplanation(fetch, isSorted: false, isCut: false)
    #expect(explanation.indices.isEmpty)
    #expect(explanation.scannedTables == ["Lantern", "t1"])
    #expect(!explanation.description.contains("Indices"))
  }

  @Test("has the parts done in memory, with reasons")
  func memory() throws {
    var descriptor = FetchDescriptor<Lantern>(
      predicate: #Predicate { $0.height > 1 && $0.name.utf8.count > 3 })
    descriptor.fetchLimit = 3
    let explanation = try context.explain(descriptor)
    #expect(explanation.inMemory.map(\.work) == [.filter, .cut])
    #expect(explanation.sql?.contains("height") == true)
    #expect(explanation.sql?.contains("LIMIT") == false)
  }

  @Test("counts the unsaved changes that are merged")
  func pending() throws {
    context.insert(Lantern("a", height: 1))
    var descriptor = FetchDescriptor<Lantern>(sortBy: [SortDescriptor(\.height)])
    let explanation = try context.explain(descriptor)
    #expect(explanation.pendingChanges == 1)
    #expect(explanation.inMemory.map(\.work) == [.merge, .sort])
    descriptor.includePendingChanges = false
    #expect(try context.explain(descriptor).inMemory.isEmpty)
  }
}
