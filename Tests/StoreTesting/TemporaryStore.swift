import Foundation
import PostgresTesting
import SwiftData
import SwiftDataPostgres
import TestSupport

/// The kind of store that tests use which aren't about files: `OPENSWIFTDATA_TEST_STORE` is `sqlite`, the default, or
/// `postgresql`.
package enum StoreKind: String, Sendable {
  case sqlite
  case postgresql

  package static let tested: StoreKind = {
    guard let name = TestEnvironment.text("OPENSWIFTDATA_TEST_STORE") else { return .sqlite }
    guard let kind = StoreKind(rawValue: name) else {
      fatalError("OPENSWIFTDATA_TEST_STORE is \(name), neither sqlite nor postgresql")
    }
    return kind
  }()
}

/// The place of a store of one test, removed when the test releases it: a folder for its files, or a schema of the
/// tests' database.
package final class TemporaryStore: Sendable {
  package let folder: URL
  private let owned: TemporaryFolder?
  private let databaseSchema: DatabaseSchema?
  package var file: URL { folder.appending(path: "test.store") }

  package init() throws {
    let owned = try TemporaryFolder("swiftdata-tests")
    self.owned = owned
    folder = owned.url
    databaseSchema = StoreKind.tested == .postgresql ? DatabaseSchema() : nil
  }

  /// Uses the folder of another process, which removes it.
  package init(of folder: URL) {
    self.folder = folder
    owned = nil
    databaseSchema = nil
  }

  package func container(
    _ types: any PersistentModel.Type..., allowsSave: Bool = true
  ) throws -> ModelContainer {
    let schema = Schema(types)
    guard let databaseSchema else {
      return try ModelContainer(
        for: schema, configurations: ModelConfiguration(url: file, allowsSave: allowsSave))
    }
    var configuration = try databaseSchema.configuration
    configuration.allowsSave = allowsSave
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  /// Runs SQL on the file as another program would.
  package func execute(_ sql: String) throws { _ = try values(sql) }

  /// Returns the first column of the first row, as text.
  package func value(_ sql: String) throws -> String? { try values(sql).first ?? nil }

  /// Returns the first column of all rows, as text.
  package func values(_ sql: String) throws -> [String?] {
    if let databaseSchema { return try databaseSchema.values(sql) }
    return try SQLiteFile(file).values(sql)
  }
}

/// Creates a container whose store lasts as long as the process: in memory, or a schema of the tests' database.
package func memoryContainer(_ types: any PersistentModel.Type...) throws -> ModelContainer {
  try memoryContainer(for: Schema(types))
}

/// The same for the models of a schema.
package func memoryContainer(for schema: Schema) throws -> ModelContainer {
  switch StoreKind.tested {
  case .sqlite:
    return try ModelContainer(
      for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  case .postgresql:
    let configuration = PostgresConfiguration(
      uniqueName("memory"), url: try PostgresServer.shared.url)
    return try ModelContainer(for: schema, configurations: [configuration])
  }
}

/// A schema of the tests' database, dropped with the object.
private final class DatabaseSchema: Sendable {
  private let name = uniqueName("test")

  deinit {
    do { try run("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE") } catch {
      print("The schema \(name) couldn't be dropped: \(error)")
    }
  }

  var configuration: PostgresConfiguration {
    get throws { PostgresConfiguration(name, url: try PostgresServer.shared.url) }
  }

  /// Runs a statement as another program would.
  ///
  /// - Returns: The first column of its rows, as text.
  func values(_ sql: String) throws -> [String?] {
    let connection = try PostgresServer.shared.connect()
    try connection.run("SET search_path TO \"\(name)\"")
    let result = try connection.run(sql)
    return (0..<result.rowCount).map { row in
      switch result.values(row).first {
      case nil, .null: nil
      case .integer(let value): String(value)
      case .real(let value): String(value)
      case .text(let value): value
      case .blob(let value): String(decoding: value, as: UTF8.self)
      }
    }
  }

  private func run(_ sql: String) throws { try PostgresServer.shared.connect().run(sql) }
}
