import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("A store on a server that can't be used", .server)
struct PostgresRefusalTests {
  private let server: PostgresServer
  private let name = uniqueName("store")

  init() throws { server = try PostgresServer.shared }

  private func container(allowsSave: Bool = true) throws -> ModelContainer {
    var configuration = PostgresConfiguration(name, url: server.url)
    configuration.allowsSave = allowsSave
    return try ModelContainer(for: serverSchema, configurations: [configuration])
  }

  private func store(allowsSave: Bool = true) throws -> PostgresStore {
    var configuration = PostgresConfiguration(name, schema: serverSchema, url: server.url)
    configuration.allowsSave = allowsSave
    return try PostgresStore(configuration)
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do { try body() } catch { return (error as? StoreError)?.code }
    return nil
  }

  private func execute(_ sql: String) throws {
    let connection = try server.connect()
    try connection.use(schema: name)
    try connection.execute(sql)
  }

  @Test("isn't created where nothing may be saved, and is read only there")
  func readOnly() throws {
    #expect(code { _ = try store(allowsSave: false) } == .cannotOpen)
    let schemas = try server.connect().run(
      "SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(name)])
    #expect(schemas.rowCount == 0)
    let context = ModelContext(try container())
    context.insert(Tag("a"))
    try context.save()
    let reader = try container(allowsSave: false)
    let other = ModelContext(reader)
    #expect(try other.fetch(FetchDescriptor<Tag>()).map(\.name) == ["a"])
    #expect(try other.history().count == 1)
    other.insert(Tag("b"))
    #expect(code { try other.save() } == .readOnly)
    #expect(code { try reader.erase() } == .readOnly)
    #expect(code { try other.deleteHistory(Transactions()) } == .readOnly)
    #expect(code { try reader.registerHistoryConsumer("index") } == .readOnly)
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
  }

  @Test("because a newer version has written it, before or after it was opened")
  func newerFormat() throws {
    let context = ModelContext(try container())
    context.insert(Tag("a"))
    try context.save()
    try execute("UPDATE \"_store\" SET format = 99")
    context.insert(Tag("b"))
    #expect(code { try context.save() } == .newerFormat)
    #expect(code { _ = try store() } == .newerFormat)
    try execute("UPDATE \"_store\" SET format = \(StoreTables.format)")
    try context.save()
    #expect(try context.history().count == 2)
  }

  @Test("because its schema was removed, or is another store by now")
  func removedSchema() throws {
    let context = ModelContext(try container())
    let tag = Tag("a")
    context.insert(tag)
    try context.save()
    try execute("DROP SCHEMA \"\(name)\" CASCADE")
    context.insert(Tag("b"))
    #expect(code { try context.save() } == .schemaMismatch)
    #expect(code { _ = try context.history() } == .schemaMismatch)
    #expect(code { _ = try context.fetch(FetchDescriptor<Sample>()) } == .schemaMismatch)
    _ = try store()
    #expect(code { try context.save() } == .replaced)
    #expect(try ModelContext(try container()).fetchCount(FetchDescriptor<Tag>()) == 0)
  }

  @Test("because its only row is missing")
  func damaged() throws {
    let context = ModelContext(try container())
    context.insert(Tag("a"))
    try context.save()
    try execute("DELETE FROM \"_store\"")
    context.insert(Tag("b"))
    #expect(code { try context.save() } == .replaced)
    #expect(code { _ = try store() } == .damaged)
  }
}
