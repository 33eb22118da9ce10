import SwiftData
import Synchronization

/// A custom store in memory with its own kind of history.
final class NotebookStore: DataStore, HistoryProviding {
  typealias Configuration = NotebookConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: NotebookConfiguration
  var identifier: String { "notebook-" + configuration.name }
  let schema: Schema
  private var stored: [PersistentIdentifier: DefaultSnapshot] = [:]
  private var pages: [NotebookPage] = []

  init(
    _ configuration: NotebookConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    try configuration.cover?.refuse()
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let entity = Schema.entityName(for: T.self)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: stored.values.filter { $0.persistentIdentifier.entityName == entity })
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID().uuidString)
    }
    for snapshot in request.inserted + request.updated {
      let identifier = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      stored[identifier] = snapshot.copy(
        persistentIdentifier: identifier, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { stored[snapshot.persistentIdentifier] = nil }
    pages.append(
      NotebookPage(
        id: pages.count + 1, timestamp: Date(timeIntervalSinceReferenceDate: Double(pages.count)),
        storeIdentifier: identifier, author: request.editingState.author))
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  static var historyType: NotebookPage.Type { NotebookPage.self }

  func fetchHistory(_ descriptor: HistoryDescriptor<NotebookPage>) throws -> [NotebookPage] {
    try configuration.cover?.refuse()
    try configuration.desk.pass(isAnswered: false)
    let found = try pages.filter { try descriptor.predicate?.evaluate($0) ?? true }
      .sorted(using: descriptor.sortBy)
    try configuration.desk.pass(isAnswered: true)
    return descriptor.fetchLimit == 0 ? found : Array(found.prefix(Int(descriptor.fetchLimit)))
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<NotebookPage>) throws {
    pages.removeAll(where: Set(try fetchHistory(descriptor)).contains)
  }
}

/// Actions of a test during a ``NotebookStore``'s next history request.
final class NotebookDesk {
  var beforeAnswer: (() throws -> Void)?
  /// Called when the response exists.
  var afterAnswer: (() throws -> Void)?

  func pass(isAnswered: Bool) throws {
    let action = isAnswered ? afterAnswer : beforeAnswer
    if isAnswered { afterAnswer = nil } else { beforeAnswer = nil }
    try action?()
  }
}

struct NotebookConfiguration: DataStoreConfiguration {
  typealias Store = NotebookStore
  var name = "notes"
  var schema: Schema?
  var desk = NotebookDesk()
  var cover: NotebookCover?

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Keeps a notebook from being read while it is shut; it can be written all the same.
final class NotebookCover: Sendable {
  struct Shut: Error {}

  private let state = Mutex(false)

  var isShut: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func refuse() throws {
    if isShut { throw Shut() }
  }
}

struct NotebookPage: HistoryTransaction {
  struct Token: HistoryToken {
    let tokenValue: [String: Int]?
    var id: Int { tokenValue?.values.first ?? 0 }
    static func < (lhs: Token, rhs: Token) -> Bool { lhs.id < rhs.id }
  }

  let id: Int
  let timestamp: Date
  let storeIdentifier: String
  let author: String?
  var changes: [HistoryChange] { [] }
  var transactionIdentifier: Int { id }
  var token: Token { Token(tokenValue: [storeIdentifier: id]) }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
