import PostgresTesting
import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@testable import SwiftDataPostgres

@Suite("Through a pooler that gives sessions to others between transactions", .server, .pooler)
struct PooledStoreTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared }

  @Test("connections notice it, and keep nothing in their sessions")
  func sessions() throws {
    let connection = try PostgresConnection(server.options(server.pooledURL))
    #expect(connection.isPooled && !connection.namesStatements)
    #expect(try !server.connect().isPooled)
    let name = uniqueName("schema")
    try connection.execute("CREATE SCHEMA \(name); CREATE TABLE \(name).t (n bigint)")
    try connection.use(schema: name)
    let count = try connection.reading {
      try connection.run("SELECT count(*) FROM t WHERE n > $1", [.integer(0)]).integer(0, 0)
    }
    #expect(count == 0)
    let limit = try connection.transaction {
      try connection.run("SHOW statement_timeout").text(0, 0)
    }
    #expect(limit == "30s")
    let outside = try connection.run("SHOW search_path").text(0, 0)
    #expect(outside?.contains(name) == false)
  }

  @Test("a store saves and fetches")
  func store() throws {
    let configuration = PostgresConfiguration(uniqueName("store"), url: server.pooledURL)
    let container = try ModelContainer(
      for: Schema([Sample.self, SampleGroup.self, Tag.self]), configurations: [configuration])
    let context = ModelContext(container)
    let group = SampleGroup("group")
    context.insert(group)
    for number in 0..<100 {
      let sample = Sample("key \(number)", count: number)
      context.insert(sample)
      sample.group = group
    }
    try context.save()
    let other = ModelContext(container)
    let least = 98
    let some = try other.fetch(
      FetchDescriptor<Sample>(predicate: #Predicate { $0.count >= least }))
    #expect(Set(some.map(\.count)) == [98, 99])
    some[0].note = "changed"
    other.delete(some[1])
    try other.save()
    #expect(try other.history().map(\.changes.count) == [101, 2])
    // The values that a session keeps for a transaction have told the store's own writes from others.
    let notes = try server.connect().run(
      "SELECT count(*) FROM \"\(configuration.databaseSchema)\".\"_foreign\"")
    #expect(notes.integer(0, 0) == 0)
    let last = ModelContext(container)
    #expect(try last.fetchCount(FetchDescriptor<Sample>()) == 99)
    #expect(try last.fetch(FetchDescriptor<SampleGroup>()).first?.samples.count == 99)
  }

  @Test("batches, deletions by predicate and SQL that reads")
  func batches() throws {
    let container = try ModelContainer(
      for: Railway.schema,
      configurations: [PostgresConfiguration(uniqueName("batch"), url: server.pooledURL)])
    #expect(try container.batchInsert((0..<200).map { Station("s\($0)", $0) }).inserted == 200)
    #expect(try container.batchInsert((0..<200).map { Station("s\($0)", $0) }).unchanged == 200)
    #expect(try container.batchUpdate(Station.self) { $0.set(\.mark, to: "x") } == 200)
    #expect(try container.batchDelete(Station.self, where: #Predicate { $0.isOpen }) == 100)
    let context = ModelContext(container)
    try context.delete(
      model: Station.self, where: #Predicate { $0.code.localizedStandardContains("9") })
    try context.save()
    let counts = try context.rows(
      sql: "SELECT count(*) FROM \(table: Station.self) WHERE \(column: \Station.mark) = \("x")",
      as: Int.self)
    #expect(try counts == [context.fetchCount(FetchDescriptor<Station>())])
    #expect(try context.count(of: Station.self) == 72)
    #expect(!(try context.explain(FetchDescriptor<Station>()).queryPlan.isEmpty))
  }

  @Test("a migration")
  func migration() throws {
    let configuration = PostgresConfiguration(uniqueName("migrated"), url: server.pooledURL)
    let context = ModelContext(
      try ModelContainer(for: Plain.schema, configurations: [configuration]))
    context.insert(Plain.Item("a", 1))
    try context.save()
    do {
      _ = try ModelContainer(
        for: Changed.schema, migrationPlan: FailingPlan.self, configurations: [configuration])
      Issue.record("the failure was ignored")
    } catch let error as MigrationError {
      #expect(error.code == .stageFailed)
    }
    let migrated = ModelContext(
      try ModelContainer(for: Changed.schema, configurations: [configuration]))
    #expect(try migrated.fetch(FetchDescriptor<Changed.Item>()).map(\.title) == ["a"])
  }
}
