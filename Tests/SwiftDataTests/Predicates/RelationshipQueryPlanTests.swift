import SwiftData
import SwiftDataCore
import SwiftDataExtras
import SwiftDataSQL
import Testing

@Suite(
  "Relationships in predicates are found by keys",
  .enabled(if: StoreKind.tested == .sqlite, "reads plans of SQLite"))
struct RelationshipQueryPlanTests {
  let store: TemporaryStore
  let container: ModelContainer
  let file: SQLiteFile

  init() throws {
    store = try TemporaryStore()
    container = try smallLibrary(
      try store.container(Author.self, Shelf.self, Branch.self))
    file = try SQLiteFile(store.file)
  }

  private func plan<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> String {
    let entry = try container.core.entry(for: Model.self)
    let plans = Dictionary(
      uniqueKeysWithValues: entry.store.plans.map { (ObjectIdentifier($0.type), $0) })
    let translated = try PredicateTranslator(
      plan: entry.plan, plans: plans, dialect: SQLiteDialect()
    ).translate(LoweredPredicate(predicate))
    #expect(translated.isExact, "\(translated.reasons)")
    let condition = try #require(translated.condition)
    return try file.queryPlan(
      "SELECT * FROM \(SQLIdentifier.quoted(entry.plan.name)) AS t0 WHERE \(condition.sql)")
  }

  @Test("of one to many by the index of the key")
  func keys() throws {
    let plan = try plan(#Predicate<Author> { $0.books.contains { $0.title == "a" } })
    #expect(plan.contains("SEARCH r1 USING INDEX Book_author_index (author=?)"), "\(plan)")
    let count = try self.plan(#Predicate<Author> { $0.books.count > 2 })
    #expect(count.contains("Book_author_index (author=?)"), "\(count)")
  }

  @Test("of many to many by the table of pairs, from both ends")
  func pairs() throws {
    for plan in [
      try plan(#Predicate<Book> { $0.labels.contains { $0.text == "a" } }),
      try plan(#Predicate<Label> { $0.books.contains { $0.title == "a" } }),
      try plan(#Predicate<Shelf> { $0.books.allSatisfy { $0.title == "a" } }),
    ] {
      #expect(plan.contains("SEARCH r1p USING"), "\(plan)")
      #expect(plan.contains("SEARCH r1 USING INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
      #expect(!plan.contains("SCAN r1"), "\(plan)")
    }
  }

  @Test("of one to one by the key, on either end")
  func ones() throws {
    let there = try plan(#Predicate<Cover> { $0.book?.title == "a" })
    let back = try plan(#Predicate<Book> { $0.cover?.colour == "a" })
    #expect(!there.contains("SCAN t1") && !there.contains("SCAN k0"), "\(there)")
    #expect(!back.contains("SCAN t1") && !back.contains("SCAN k0"), "\(back)")
  }

  @Test("in one statement")
  func statements() throws {
    let context = ModelContext(container)
    let before = container.executedStatementCount
    let found = try context.fetch(
      FetchDescriptor<Author>(
        predicate: #Predicate { $0.books.contains { $0.labels.contains { $0.text == "red" } } }))
    #expect(!found.isEmpty)
    #expect(container.executedStatementCount - before == 1)
  }
}
