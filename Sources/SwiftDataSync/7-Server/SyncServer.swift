import Foundation
import SwiftDataCore

/// The server side of synchronization: processes clients' pushes and pulls with a container's models.
///
/// Changes that other authors save in the store are sent to the clients too. Several servers may work on one store at
/// the same time, also in several processes; a client's requests may reach any of them. They need the same models: of
/// servers with different ones, that which began last goes on, from its first request on, and the others refuse all.
/// Attachments that no object has yet are in files beside the store, or in tables of a store without files.
public actor SyncServer {
  let storage: ModelServerStorage
  let ledger: SyncServerLedger
  /// The attachments that users have sent and that no object has yet.
  let uploads: SyncUploads
  let attachmentLimits: SyncAttachmentLimits
  /// The attachments that pushes took from the uploads, with the dates of that. Another server on the store that needs
  /// the same one renews it.
  var taken: [SyncAttachment: Date] = [:]
  /// The maximum number of changes in a push.
  public static let maximumPush = 5_000
  /// The maximum number of bytes of a client's name and of a change's ID.
  public static let maximumName = 256

  /// - Parameters:
  ///   - container: The container of the store; the bookkeeping tables are in the same file as the models.
  ///   - models: The models to synchronize with clients. Their policies are ignored: clients resolve conflicts.
  ///   - rules: The access rules. ``SyncServerRules/everyoneSeesEverything`` must be given explicitly.
  ///   - attachments: The limits on attachments, and on attachments that no object has yet.
  /// - Throws: ``SyncError`` when a model can't be synchronized, or none has the property that
  ///   ``SyncServerRules/owned(by:)`` names; the store's error when the store can't be used.
  public init(
    _ container: ModelContainer, models: [SyncedModel], rules: SyncServerRules,
    attachments: SyncAttachmentLimits = SyncAttachmentLimits()
  ) throws {
    if let owner = rules.ownerProperty {
      let plans = models.compactMap { container.core.plan(of: $0.type) }
      guard plans.contains(where: { $0.propertiesByName[owner] != nil }) || plans.isEmpty else {
        throw SyncError(
          .unsupported, "no synchronized class has a property \(owner), which is to name the owner")
      }
    }
    storage = try ModelServerStorage(
      container, models, maximumWeight: attachments.batchByteCount)
    ledger = try SyncServerLedger(storage, storage.schema, rules)
    uploads = try SyncUploads(of: storage.access.store, attachments)
    attachmentLimits = attachments
  }

  /// Returns the first version that a server assigns after its start: a number that it hasn't assigned to a state that
  /// was lost when its store was replaced by an older copy. For servers of other contracts
  /// (``SyncPage/skippedVersions``).
  ///
  /// It is the time in microseconds since 1970, with a random addition for clocks that are set back; JavaScript has
  /// such numbers exactly until the year 2255 (2^53).
  ///
  /// - Parameter newest: The newest version in the store.
  public static func firstVersion(after newest: Int64) -> Int64 {
    let now = Int64(Date.now.timeIntervalSince1970 * 1_000_000)
    return min(max(newest, now), SyncServerProgress.maximumVersion) + .random(in: 1...65_536)
  }

  /// Stores a client's acceptable changes in one transaction.
  ///
  /// - Parameters:
  ///   - changes: The changes in the order in which they are to be processed.
  ///   - client: The identifier of the client's store.
  ///   - user: The authenticated user of the request.
  /// - Returns: The outcome of each change, by its ID. Changes without one have to be sent again: only the first ones
  ///   have outcomes when objects are large, or other authors save without a pause, and only refused ones when refusals
  ///   lead to further ones again and again. When attachments haven't been sent yet (``missing(_:user:)``), nothing is
  ///   stored and there are no outcomes.
  /// - Throws: ``SyncFailure`` for a request that can't be processed, or the store's error.
  public func push(
    _ changes: [SyncChange], client: String, user: String
  ) throws -> [String: SyncOutcome] {
    guard changes.count <= Self.maximumPush else {
      throw SyncFailure(.tooLarge, "More than \(Self.maximumPush) changes at once")
    }
    // Both are stored with every outcome.
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

  /// Returns changes that a user may read and hasn't received.
  ///
  /// - Parameters:
  ///   - cursor: The end of the last page; nil for everything.
  ///   - user: The authenticated user of the request.
  ///   - limit: The approximate number of objects in a page: changes that were made together aren't divided, up to
  ///     5,000 of them.
  /// - Throws: ``SyncFailure`` for an invalid or expired cursor, or the store's error.
  public func pull(after cursor: String?, user: String, limit: Int = 5_000) throws -> SyncPage {
    try ledger.pull(after: cursor, user: user, limit: limit)
  }

  /// Deletes the tombstones from before a date. Clients that haven't received them by then fetch everything again.
  ///
  /// - Throws: The store's error.
  public func forgetTombstones(before date: Date) throws {
    try storage.forgetTombstones(before: date)
  }

  /// Deletes the outcomes that were stored before a date; outcomes older than 30 days are deleted automatically. A
  /// client that hasn't received its outcome by then sends the same changes as new ones.
  ///
  /// - Throws: The store's error.
  public func forgetAnswers(before date: Date) throws {
    try storage.forgetAnswers(before: date)
  }
}

/// A transport to a server in the same process, without a network: for tests, and for two stores on one machine.
public struct LocalSyncTransport: SyncTransport {
  let server: SyncServer
  let user: String

  /// - Parameters:
  ///   - server: The server.
  ///   - user: The user of the requests.
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
