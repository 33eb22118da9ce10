import Foundation
import SwiftDataCore

/// The location and the settings of a store on a PostgreSQL server.
public struct PostgresConfiguration: DataStoreConfiguration, Hashable, Sendable {
  public typealias Store = PostgresStore

  /// The name, unique in a container.
  public let name: String
  /// The schema of the database that is the store; by default the configuration's name.
  public var databaseSchema: String
  /// The models stored here; nil means all models of the container.
  public var schema: Schema?
  /// Whether the store can be written.
  public var allowsSave = true
  /// The amount of history that the store keeps. Each save and batch deletes about 10,000 transactions at most of what
  /// is beyond it, and none while a call of `deleteHistory` deletes some; the rest goes with those that follow.
  public var historyRetention = HistoryRetention.standard
  /// The maximum number of connections of this store, besides one that notices the commits of others.
  public var maximumConnectionCount = 8
  /// The seconds that an operation waits for a connection.
  public var acquisitionTimeout: TimeInterval = 5
  /// The seconds after which a connection that nobody uses is closed; 0 for never. Another one is made when it is
  /// needed.
  public var idleTimeout: TimeInterval = 60
  /// The seconds that opening a connection may take with each host of the URL; `.infinity` for any time. A host that
  /// doesn't answer in time is left out, and the others are tried.
  public var connectTimeout: TimeInterval = 10
  /// The seconds that one statement may take; 0 for any time. The server counts from its beginning to its end, with the
  /// time that the program needs meanwhile: to encode the models of a save with many new ones, and to take the rows of
  /// a fetch without a limit. Migrations, batches, ``PostgresStore/erase()``, the end of a copy and deletions of
  /// history may take longer.
  public var statementTimeout: TimeInterval = 30
  /// The seconds that opening waits for a migration by another program, and for its transactions.
  public var migrationTimeout: TimeInterval = 60
  /// The key for attributes with `.allowsCloudEncryption`.
  public var encryptionKey: EncryptionKey?
  /// The address of a streaming copy of the server that answers fetches, counts and relationships; nil for the server
  /// itself. Reads never go back behind what this process has saved or noticed: a copy that hasn't got so far within 50
  /// milliseconds isn't used, nor is one that can't be reached; what it stops answering is asked of the server, unless
  /// 1,000 rows or 8 MiB of texts and data have arrived, after which the read fails. Saves, history and live results
  /// use the server.
  public var readURL: String?
  /// The features of the server that the store uses; those of PostgreSQL by default.
  public var features = PostgresFeatures.all
  /// Whether the store is that of a copy, which may be unfinished.
  var isCopyTarget = false
  /// About the number of bytes of the rows that one statement writes.
  var batchByteCount = RowBatch.usualByteCount
  private let address: Result<PostgresURL, StoreError>
  private var passwords: PasswordSource?

  /// Creates a configuration for a store on a server.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration and of the schema in the database, which is created if it doesn't exist.
  ///   - schema: The models stored here; nil means all models of the container.
  ///   - url: The address of the database, as `postgresql://user@host:port/database`. A password is better kept in
  ///     libpq's password file (https://www.postgresql.org/docs/15/libpq-pgpass.html).
  public init(_ name: String, schema: Schema? = nil, url: String) {
    self.name = name
    self.schema = schema
    databaseSchema = name
    do { address = .success(try PostgresURL(url)) } catch let error as StoreError {
      address = .failure(error)
    } catch {
      address = .failure(StoreError(.other, path: name, explanation: "its URL can't be read"))
    }
  }

  /// Sets a function that returns the password, in place of one in the URL.
  public mutating func setPassword(_ password: @escaping @Sendable () throws -> String) {
    passwords = PasswordSource(password)
  }

  /// Checks the address and the names.
  ///
  /// - Throws: ``StoreError/Code/cannotOpen``.
  public func validate() throws {
    _ = try address.get()
    if let readURL { _ = try PostgresURL(readURL) }
    if let reason = reasonAgainstSchemaName {
      throw StoreError(
        .cannotOpen, path: urlWithoutPasswords ?? name,
        explanation: "the name of the database's schema \(reason)")
    }
  }

  private var reasonAgainstSchemaName: String? {
    if databaseSchema.isEmpty { return "is empty; choose one" }
    if databaseSchema.utf8.contains(0) { return "contains the character U+0000; remove it" }
    if databaseSchema.hasPrefix("pg_") {
      return "begins with pg_, as only the server's own do; choose another"
    }
    return nil
  }

  /// The URL without its passwords, for messages; nil when it can't be read.
  public var urlWithoutPasswords: String? {
    switch address {
    case .success(let url): url.description
    case .failure: nil
    }
  }

  var options: PostgresConnectionOptions {
    get throws { try options(for: try address.get(), isReadOnly: !allowsSave) }
  }

  /// The options of connections to ``readURL``.
  var readOptions: PostgresConnectionOptions? {
    get throws { try readURL.map { try options(for: PostgresURL($0), isReadOnly: true) } }
  }

  private func options(
    for url: PostgresURL, isReadOnly: Bool
  ) throws -> PostgresConnectionOptions {
    var options = PostgresConnectionOptions(url: url)
    options.marksWrites = true
    options.connectTimeout = connectTimeout
    options.statementTimeout = statementTimeout
    options.applicationName = ProcessInfo.processInfo.processName
    options.password = passwords?.read
    options.isReadOnly = isReadOnly
    return options
  }
}

/// A function that returns a password; equal to itself only.
private final class PasswordSource: Sendable, Hashable {
  let read: @Sendable () throws -> String

  init(_ read: @escaping @Sendable () throws -> String) { self.read = read }

  static func == (left: PasswordSource, right: PasswordSource) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PostgresConfiguration: RowStoreConfiguration {
  package var fileURL: URL? { nil }

  package func makeRowStore(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any RowStore {
    var configuration = self
    configuration.schema = schema
    return try PostgresStore(configuration, migrationPlan: migrationPlan)
  }
}
