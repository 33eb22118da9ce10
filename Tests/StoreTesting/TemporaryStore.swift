import Foundation
import PostgresTesting
import SwiftData
import SwiftDataPostgres
import TestSupport

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

  /// The place of the store, for other processes.
  package var place: String {
    get throws { try databaseSchema?.place ?? file.path }
  }

  /// Opens the store of another process.
  package static func container(
    at place: String, _ types: any PersistentModel.Type...
  ) throws -> ModelContainer {
    let schema = Schema(types)
    guard let configuration = try DatabaseSchema.configuration(at: place) else {
      return try ModelContainer(
        for: schema, configurations: ModelConfiguration(url: URL(filePath: place)))
    }
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  package func container(
    _ types: any PersistentModel.Type..., allowsSave: Bool = true,
    historyRetention: HistoryRetention = .standard, encryptionKey: EncryptionKey? = nil
  ) throws -> ModelContainer {
    try container(
      for: Schema(types), allowsSave: allowsSave, historyRetention: historyRetention,
      encryptionKey: encryptionKey)
  }

  package func container(
    for schema: Schema, allowsSave: Bool = true, historyRetention: HistoryRetention = .standard,
    encryptionKey: EncryptionKey? = nil
  ) throws -> ModelContainer {
    guard let databaseSchema else {
      var configuration = ModelConfiguration(url: file, allowsSave: allowsSave)
      configuration.historyRetention = historyRetention
      configuration.encryptionKey = encryptionKey
      return try ModelContainer(for: schema, configurations: configuration)
    }
    var configuration = try databaseSchema.configuration
    configuration.allowsSave = allowsSave
    configuration.historyRetention = historyRetention
    configuration.encryptionKey = encryptionKey
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
package func memoryContainer(
  _ types: any PersistentModel.Type..., encryptionKey: EncryptionKey? = nil
) throws -> ModelContainer {
  try memoryContainer(for: Schema(types), encryptionKey: encryptionKey)
}

/// The same for the models of a schema.
package func memoryContainer(
  for schema: Schema, encryptionKey: EncryptionKey? = nil
) throws -> ModelContainer {
  switch StoreKind.tested {
  case .sqlite:
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.encryptionKey = encryptionKey
    return try ModelContainer(for: schema, configurations: configuration)
  case .postgresql:
    var configuration = try DatabaseSchema.configuration(named: uniqueName("memory"))
    configuration.encryptionKey = encryptionKey
    return try ModelContainer(for: schema, configurations: [configuration])
  }
}

/// A schema of the tests' database, dropped with the object.
private final class DatabaseSchema: Sendable {
  private let name = uniqueName("test")

  /// Connections as other programs have them.
  private static let others = Result {
    PostgresConnectionPool(
      try PostgresServer.shared.options(), maximumCount: 16, acquisitionTimeout: 120)
  }

  deinit {
    do { _ = try values("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE") } catch {
      print("The schema \(name) couldn't be dropped: \(error)")
    }
  }

  /// The address at which stores find the server.
  private static var serverURL: String {
    get throws {
      switch StoreKind.access {
      case .direct: try PostgresServer.shared.url
      case .pooled: try PostgresServer.shared.pooledURL
      case .refusing: try RefusingProxy.shared.url
      }
    }
  }

  static func configuration(
    named name: String, url: String? = nil
  ) throws -> PostgresConfiguration {
    var configuration = PostgresConfiguration(name, url: try url ?? serverURL)
    if StoreKind.access == .refusing { configuration.features = [] }
    return configuration
  }

  var configuration: PostgresConfiguration {
    get throws { try Self.configuration(named: name) }
  }

  /// The schema's name and the server's address.
  var place: String {
    get throws { "\(name) \(try Self.serverURL)" }
  }

  static func configuration(at place: String) throws -> PostgresConfiguration? {
    guard let space = place.firstRange(of: " postgresql://") else { return nil }
    return try configuration(
      named: String(place[..<space.lowerBound]),
      url: String(place[space.lowerBound...].dropFirst()))
  }

  /// Runs a statement as another program would.
  ///
  /// - Returns: The first column of its rows, as text.
  func values(_ sql: String) throws -> [String?] {
    let result = try Self.others.get().withConnection { connection in
      try connection.use(schema: name)
      return try connection.run(sql)
    }
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
}
