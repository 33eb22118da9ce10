import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@testable import SwiftDataPostgres

/// Servers with PostgreSQL's protocol, such as Citus, YugabyteDB and CockroachDB, lack some of its features.
@Suite("Statements that not every server with this protocol takes", .server)
struct PortableStatementTests {
  private let proxy: PostgresProxy
  private let configuration: PostgresConfiguration

  init() throws {
    proxy = try PostgresProxy(to: try PostgresServer.shared)
    configuration = PostgresConfiguration(uniqueName("portable"), url: proxy.url)
  }

  /// Words of such statements, and the beginnings of those that may have them: the features behind them stand alone, so
  /// that another way can be put beside each.
  private static let rules: [(word: String, beginnings: [String])] = [
    (
      "TRIGGER",
      [
        "CREATE FUNCTION \"_noteForeign\"()", "CREATE TRIGGER \"_noteForeign\"",
        "SELECT c.relname::text FROM pg_catalog.pg_trigger",
      ]
    ),
    ("PLPGSQL", ["CREATE FUNCTION \"_noteForeign\"()"]),
    ("TEMPORARY", ["CREATE TEMPORARY TABLE"]),
    ("DEFERR", ["ALTER TABLE", "CREATE TABLE", "RELEASE SAVEPOINT", "SET CONSTRAINTS ALL"]),
    ("SET CONSTRAINTS", ["SET CONSTRAINTS ALL", "RELEASE SAVEPOINT"]),
    ("LISTEN", ["BEGIN; SET LOCAL lock_timeout"]),
    ("PG_NOTIFY", ["SELECT set_config('synchronous_commit'", "CREATE FUNCTION"]),
    ("ADVISORY", ["WITH n AS (UPDATE \"_store\"", "BEGIN; SET LOCAL lock_timeout"]),
    ("XMIN", ["SELECT v.id, t.", "UPDATE \""]), ("XMAX", []), ("CTID", []), ("TABLEOID", []),
    ("LOCK TABLE", ["LOCK TABLE \""]), ("DECLARE", []), ("PREPARE TRANSACTION", []),
    ("PG_TRGM", []),
    ("DO $", []),
  ]

  @Test("are only those of a few features")
  @MainActor
  func words() async throws {
    defer { proxy.stop() }
    try save()
    try writeBatches()
    try await follow()
    try migrate()
    let statements = proxy.statements
    #expect(statements.count > 80)
    for (word, beginnings) in Self.rules {
      let found = statements.filter { $0.uppercased().contains(word) }
      #expect(found.isEmpty == beginnings.isEmpty, "\(word): \(found)")
      let others = found.filter { text in !beginnings.contains { text.hasPrefix($0) } }
      #expect(others.isEmpty, "\(word)")
    }
  }

  private func container(_ schema: Schema = serverSchema) throws -> ModelContainer {
    try ModelContainer(for: schema, configurations: [configuration])
  }

  private func save() throws {
    let container = try container()
    for policy in [MergePolicy.error, .propertyObjectTrump, .propertyStoreTrump, .overwrite] {
      let context = ModelContext(container)
      context.mergePolicy = policy
      let group = SampleGroup("group")
      context.insert(group)
      for number in 0..<80 { context.insert(Sample("\(policy) \(number)", count: number)) }
      group.tags = [Tag("a"), Tag("b")]
      try context.save()
      let samples = try context.fetch(
        FetchDescriptor<Sample>(
          predicate: #Predicate { $0.count > 3 && $0.key.contains("1") },
          sortBy: [SortDescriptor(\.key, comparator: .lexical), SortDescriptor(\.count)]))
      // Two rows exchange their keys.
      (samples[0].key, samples[1].key) = (samples[1].key, samples[0].key)
      samples[2].group = group
      try context.save()
      context.insert(Sample("\(policy) 7", count: -1))
      context.delete(samples[2])
      group.tags = []
      try context.save()
      context.delete(group)
      try context.delete(model: Sample.self, where: #Predicate { $0.count == 5 })
      try context.save()
      _ = try context.fetchCount(FetchDescriptor<Sample>())
      _ = try context.groups(of: Sample.self, by: \.isOpen, .count, .sum(\.size))
    }
  }

  private func writeBatches() throws {
    let container = try container()
    try container.batchInsert((0..<200).lazy.map { Sample("batch \($0)", count: $0) })
    try container.batchInsert((0..<200).lazy.map { Sample("batch \($0)", count: $0 / 2) })
    try container.batchInsert((0..<5).lazy.map { Bill($0, customer: nil, price: 1) })
    try container.batchUpdate(Bill.self, where: #Predicate { $0.number >= 0 }) {
      $0.set(\.number, to: #Expression { $0.number + 1 })
    }
    try container.batchDelete(Sample.self, where: #Predicate { $0.count > 10 })
    let context = ModelContext(container)
    _ = try context.history()
    try container.registerHistoryConsumer("index")
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == "nobody" }))
    try container.erase()
  }

  /// Follows the commits of another container.
  @MainActor
  private func follow() async throws {
    let observer = try HistoryObserver(modelContainer: try container())
    let other = ModelContext(try container())
    other.insert(Tag("seen"))
    #expect(try await value({ observer.eventCounter }) { try other.save() } == 1)
  }

  private func migrate() throws {
    for schema in [Extended.schema, Changed.schema] {
      var plain = configuration
      plain.databaseSchema = uniqueName("portable")
      let context = ModelContext(
        try ModelContainer(for: Plain.schema, configurations: [plain]))
      context.insert(Plain.Item("a", 1))
      try context.save()
      _ = try ModelContainer(for: schema, configurations: [plain])
    }
  }
}
