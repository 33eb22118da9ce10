import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

/// Versions of a class whose texts become unique.
private enum Plainly {
  @Model
  final class Label {
    var name: String
    init(_ name: String) { self.name = name }
  }

  static let schema = Schema([Label.self])
}

private enum Uniquely {
  @Model
  final class Label {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }

  static let schema = Schema([Label.self])
}

/// A plan whose code passes over the failure of a fetch.
private enum CarelessPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { FailingPlan.schemas }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: FailingPlan.First.self, toVersion: FailingPlan.Second.self,
        willMigrate: { context in
          let zero = 0
          #expect(throws: (any Error).self) {
            try context.fetch(
              FetchDescriptor<Plain.Item>(predicate: #Predicate { $0.count % zero == 0 }))
          }
          context.insert(Plain.Item("new", 9))
          #expect(throws: (any Error).self) { try context.save() }
        }, didMigrate: nil)
    ]
  }
}

@Suite("The transaction of a migration on a server", .server)
struct TransactionMigrationTests {
  private let server: PostgresServer
  private let name = uniqueName("migrated")

  init() throws { server = try PostgresServer.shared }

  @Test("isn't ended by a stage's code that passes over failures")
  func carelessStage() throws {
    let configuration = PostgresConfiguration(name, url: server.url)
    func items() throws -> [String] {
      let container = try ModelContainer(for: Plain.schema, configurations: [configuration])
      return try ModelContext(container).fetch(FetchDescriptor<Plain.Item>()).map(\.name)
    }
    do {
      let container = try ModelContainer(for: Plain.schema, configurations: [configuration])
      let context = ModelContext(container)
      context.insert(Plain.Item("old", 1))
      try context.save()
    }
    #expect(throws: (any Error).self) {
      _ = try ModelContainer(
        for: Changed.schema, migrationPlan: CarelessPlan.self, configurations: [configuration])
    }
    #expect(try items() == ["old"])
  }

  @Test("composes texts that become unique, many at once")
  func composition() throws {
    do {
      _ = try ModelContainer(
        for: Plainly.schema, configurations: [PostgresConfiguration(name, url: server.url)])
    }
    let count = SchemaExecution.composedCount + 2
    let connection = try server.connect()
    try connection.use(schema: name)
    try connection.run(
      "INSERT INTO \"Label\" (_id, name)"
        + " SELECT n, U&'e\\0301 ' || n FROM generate_series(1, \(count)) AS n")
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let container = try ModelContainer(
      for: Uniquely.schema, configurations: [PostgresConfiguration(name, url: proxy.url)])
    let composed = try connection.run(
      "SELECT count(*) FROM \"Label\" WHERE name = U&'\\00E9 ' || _id")
    #expect(composed.integer(0, 0) == Int64(count))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Uniquely.Label>()) == count)
    #expect(proxy.statements.contains { $0.contains("AS v(id, value)") })
  }
}
