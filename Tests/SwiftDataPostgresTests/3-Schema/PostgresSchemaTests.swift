import PostgresTesting
import Foundation
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("The schema of a store", .server)
struct PostgresSchemaTests {
  private typealias Long = AClassWhoseNameIsLongerThanTheSixtyThreeBytesThatAServerKeepsOfAName

  private let server: PostgresServer
  private let name = uniqueName("store")

  init() throws { server = try PostgresServer.shared }

  private func schema(_ types: [any PersistentModel.Type]) throws -> PostgresSchema {
    let schema = Schema(types)
    return try PostgresSchema(
      named: name, try EntityPlan.plans(of: schema.types), version: schema.version)
  }

  private func columns(of table: String) throws -> [String: String] {
    let rows = try server.connect().run(
      """
      SELECT a.attname, format_type(a.atttypid, a.atttypmod)
        || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
        || CASE WHEN c.collname = 'C' THEN ' C' ELSE '' END
      FROM pg_attribute AS a LEFT JOIN pg_collation AS c ON c.oid = a.attcollation
      WHERE a.attrelid = ($1)::text::regclass AND a.attnum > 0
      """, [.text("\"\(name)\".\"\(table)\"")])
    return Dictionary(
      uniqueKeysWithValues: (0..<rows.rowCount).map {
        (rows.text($0, 0) ?? "", rows.text($0, 1) ?? "")
      })
  }

  @Test("has a column of the design's type for each kind")
  func types() throws {
    _ = try schema([Sample.self]).open(try server.connect())
    #expect(
      try columns(of: "Sample") == [
        "_id": "bigint NOT NULL", "key": "text NOT NULL C", "count": "bigint NOT NULL",
        "small": "bigint NOT NULL", "big": "numeric(20,0) NOT NULL",
        "size": "double precision NOT NULL", "isOpen": "boolean NOT NULL",
        "date": "double precision NOT NULL", "data": "bytea NOT NULL", "uuid": "uuid NOT NULL",
        "url": "text C", "price": "numeric NOT NULL", "numbers": "text NOT NULL C",
        "rank": "bigint", "note": "text C", "place": "boolean",
        "place_latitude": "double precision", "place_longitude": "double precision",
        "group": "bigint",
      ])
    #expect(try columns(of: "_store")["identifier"] == "uuid NOT NULL")
    #expect(try columns(of: "Sample_readable")["date"] == "timestamp with time zone")
  }

  @Test("has keys that are checked at the end of a transaction, and follow the delete rules")
  func keys() throws {
    let connection = try server.connect()
    _ = try schema([Sample.self, SampleGroup.self, Tag.self]).open(connection)
    let keys = try connection.run(
      """
      SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE contype = 'f' AND connamespace = ($1)::text::regnamespace ORDER BY conname
      """, [.text(name)])
    let definitions = (0..<keys.rowCount).compactMap { keys.text($0, 1) }
    #expect(definitions.allSatisfy { $0.hasSuffix("DEFERRABLE INITIALLY DEFERRED") })
    #expect(definitions.contains { $0.contains("(\"group\")") && $0.contains("ON DELETE CASCADE") })
    #expect(definitions.contains { $0.contains("(parent)") && $0.contains("ON DELETE SET NULL") })
    #expect(definitions.count == 4)
  }

  @Test("is opened again with the same identifier")
  func reopening() throws {
    let first = try schema([Sample.self]).open(try server.connect()).identifier
    let again = try schema([Sample.self]).open(try server.connect())
    #expect(again.identifier == first && !again.isNew)
  }

  @Test("is made once by several processes")
  func concurrentCreation() async throws {
    let schema = try schema([Sample.self, SampleGroup.self, Tag.self])
    let server = server
    let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 { group.addTask { try schema.open(try server.connect()).identifier } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(identifiers.count == 1)
  }

  @Test("keeps long names apart, and has them in comments")
  func longNames() throws {
    let connection = try server.connect()
    _ = try schema([Long.self]).open(connection)
    let columns = try columns(of: PostgresStatementText.shortened("\(Long.self)"))
    #expect(columns.count == 3)
    let comment = try connection.run(
      "SELECT obj_description(($1)::text::regclass)",
      [.text("\"\(name)\".\"\(PostgresStatementText.shortened("\(Long.self)"))\"")])
    #expect(comment.text(0, 0) == "\(Long.self)")
  }

  @Test("refuses names that the server has for itself")
  func systemNames() throws {
    #expect(throws: SchemaError.self) { _ = try schema([SystemNamed.self]) }
  }
}
