import SwiftData

/// The server half: answers clients' pushes and pulls from a container's models.
///
/// What is saved in the container by anybody else goes to the clients too. One server at a time works on a store.
public actor SyncServer {
  let storage: ModelServerStorage
  private(set) var ledger: SyncServerLedger
  /// What users have sent of attachments that no object has yet.
  let incoming: AttachmentFolder
  let attachmentLimits: SyncAttachmentLimits
  private let rules: SyncServerRules
  /// The most changes that one push may have.
  public static let maximumPush = 5_000
  /// The most bytes that the name of a client, and the id of a change, may have.
  public static let maximumName = 256

  /// - Parameters:
  ///   - container: The store; the file keeps the books beside the models.
  ///   - models: What clients may have. Policies aren't looked at: clients decide conflicts.
  ///   - rules: Who may see and change what. ``SyncServerRules/everyoneSeesEverything`` has to be said.
  ///   - attachments: How large attachments may be, and how much of them is kept that no object has.
  /// - Throws: ``SyncError`` when a model can't take part, the store's error when it can't be used.
  public init(
    _ container: ModelContainer, models: [SyncedModel], rules: SyncServerRules,
    attachments: SyncAttachmentLimits = SyncAttachmentLimits()
  ) throws {
    storage = try ModelServerStorage(
      container, models, maximumWeight: attachments.batchByteCount)
    ledger = try SyncServerLedger(storage, storage.schema, rules)
    self.rules = rules
    incoming = AttachmentFolder(besides: storage.access.store.configuration, name: "sync-incoming")
    attachmentLimits = attachments
  }

  /// Stores what can be stored of a client's changes, in one transaction.
  ///
  /// - Parameters:
  ///   - changes: In the order in which they are to be looked at.
  ///   - client: Names the client's store.
  ///   - user: Whom the request was found to come from.
  /// - Returns: What became of each, by its id. Nothing is stored, and there is no answer, when attachments haven't been
  ///   sent yet (``missing(_:user:)``).
  /// - Throws: ``SyncFailure`` for a request that can't be answered, the store's error.
  public func push(
    _ changes: [SyncChange], client: String, user: String
  ) throws -> [String: SyncOutcome] {
    guard changes.count <= Self.maximumPush else {
      throw SyncFailure(.tooLarge, "More than \(Self.maximumPush) changes at once")
    }
    // Both are kept with every answer.
    guard client.utf8.count <= Self.maximumName,
      changes.allSatisfy({ $0.id.utf8.count <= Self.maximumName })
    else {
      throw SyncFailure(
        .refused, "The names of clients and changes have \(Self.maximumName) bytes at most")
    }
    guard Set(changes.map(\.id)).count == changes.count else {
      throw SyncFailure(.refused, "Two changes have the same id")
    }
    guard try receive(changes, client: client, user: user) else { return [:] }
    let outcomes = try ledger.push(
      changes, client: client, user: user, maximumWeight: attachmentLimits.batchByteCount)
    try release(changes, outcomes, user: user)
    return outcomes
  }

  /// What a user may see and hasn't seen.
  ///
  /// - Parameters:
  ///   - cursor: Where the last page ended; nil for everything.
  ///   - user: Whom the request was found to come from.
  ///   - limit: How many objects a page has, about: what was changed together isn't divided.
  /// - Throws: ``SyncFailure`` for a cursor that isn't one or is too old, the store's error.
  public func pull(after cursor: String?, user: String, limit: Int = 5_000) throws -> SyncPage {
    try ledger.pull(after: cursor, user: user, limit: limit)
  }

  /// Whether an object is there for a user.
  func mayRead(_ object: SyncObjectID, _ user: String) throws -> Bool {
    try ledger.mayRead(object, user: user)
  }

  /// Forgets what was deleted before a date. Clients that haven't heard of it by then fetch everything anew.
  ///
  /// - Throws: the store's error.
  public func forgetTombstones(before date: Date) throws {
    try storage.forgetTombstones(before: date)
    ledger = try SyncServerLedger(storage, storage.schema, rules)
  }

  /// Forgets the answers that were given before a date, which is done by itself after 30 days. A client that hasn't got
  /// its answer by then sends the same changes as news.
  ///
  /// - Throws: the store's error.
  public func forgetAnswers(before date: Date) throws {
    try storage.forgetAnswers(before: date)
  }
}

/// A server in the same process, without a network: for tests, and for two stores on one machine.
public struct LocalSyncTransport: SyncTransport {
  let server: SyncServer
  let user: String

  /// - Parameters:
  ///   - server: The server.
  ///   - user: Whose changes these are.
  public init(_ server: SyncServer, user: String) {
    self.server = server
    self.user = user
  }

  public func push(
    _ changes: [SyncChange], client: String
  ) async throws -> [String: SyncOutcome] {
    try await server.push(changes, client: client, user: user)
  }

  public func pull(after cursor: String?, client: String) async throws -> SyncPage {
    try await server.pull(after: cursor, user: user)
  }
}
