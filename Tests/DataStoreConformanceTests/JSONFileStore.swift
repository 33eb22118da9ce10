import Foundation
import SwiftData

/// A store in a JSON file, written after Apple's description of custom data stores (WWDC24, session
/// 10138). It reads the file for every fetch, writes the whole file for every save, and leaves
/// filtering and sorting to the context.
final class JSONFileStore: DataStore {
  typealias Configuration = JSONFileConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: JSONFileConfiguration
  let identifier: String
  let schema: Schema

  init(
    _ configuration: JSONFileConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    identifier = configuration.fileURL.lastPathComponent
    schema = configuration.schema ?? Schema()
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let stored = try read()
    let entityName = Schema.entityName(for: T.self)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: stored.values.filter {
        $0.persistentIdentifier.entityName == entityName
      },
      relatedSnapshots: stored)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var stored = try read()
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID().uuidString)
    }
    for snapshot in request.inserted + request.updated {
      let identifier =
        remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      stored[identifier] = snapshot.copy(
        persistentIdentifier: identifier, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { stored[snapshot.persistentIdentifier] = nil }
    try write(stored)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func erase() throws { try write([:]) }

  private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return [:] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let snapshots = try decoder.decode(
      [DefaultSnapshot].self, from: Data(contentsOf: configuration.fileURL))
    return Dictionary(
      snapshots.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { $1 })
  }

  private func write(_ stored: [PersistentIdentifier: DefaultSnapshot]) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let snapshots = stored.values.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    try encoder.encode(snapshots).write(to: configuration.fileURL, options: .atomic)
  }
}

/// The configuration of a ``JSONFileStore``: its file.
struct JSONFileConfiguration: DataStoreConfiguration {
  typealias Store = JSONFileStore

  var name: String
  var schema: Schema?
  var fileURL: URL

  static func == (lhs: JSONFileConfiguration, rhs: JSONFileConfiguration) -> Bool {
    lhs.name == rhs.name
  }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
