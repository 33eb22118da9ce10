@testable import SwiftDataSync

/// A server's storage with interruptions between the steps of a ledger, each of which occurs once.
final class InterruptedServerStorage: SyncServerStorage {
  private let storage: ModelServerStorage
  /// Called when the position has been read, before the ledger gets it.
  var afterPosition: (() throws -> Void)?
  /// Called before edits are read.
  var beforeEdits: (() throws -> Void)?
  /// Called when objects have been listed, before the ledger gets the list.
  var afterList: (() throws -> Void)?

  init(_ storage: ModelServerStorage) { self.storage = storage }

  var schema: SyncSchema { storage.schema }

  private func interrupt(_ body: inout (() throws -> Void)?) throws {
    let once = body
    body = nil
    try once?()
  }

  func position() throws -> Int64 {
    let position = try storage.position()
    try interrupt(&afterPosition)
    return position
  }

  func edits(
    after number: Int64, limit: Int
  ) throws -> (edits: [(transaction: Int64, objects: [SyncObjectID])], through: Int64?) {
    try interrupt(&beforeEdits)
    return try storage.edits(after: number, limit: limit)
  }

  func allObjects() throws -> [SyncObjectID] {
    let objects = try storage.allObjects()
    try interrupt(&afterList)
    return objects
  }

  func objectsWithoutVersions() throws -> [SyncObjectID] {
    let objects = try storage.objectsWithoutVersions()
    try interrupt(&afterList)
    return objects
  }

  func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncServerEntry] {
    try storage.load(objects)
  }

  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) throws -> SyncValues? { try storage.complete(values, of: object, over: known) }

  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] { try storage.obstacles(to: values) }

  func remembered(_ changes: [String], client: String) throws -> [String: SyncOutcome] {
    try storage.remembered(changes, client: client)
  }

  func changes(
    after version: Int64, scope: String?, limit: Int
  ) throws -> (changes: [SyncRemote], through: Int64, hasMore: Bool) {
    try storage.changes(after: version, scope: scope, limit: limit)
  }

  func progress() throws -> SyncServerProgress? { try storage.progress() }

  func skippedVersions() throws -> [ClosedRange<Int64>] { try storage.skippedVersions() }

  func begin() throws -> Int64 { try storage.begin() }

  func claim() throws -> SyncServerClaim { try storage.claim() }

  func commit(_ writes: SyncServerWrites, at position: Int64?) throws {
    try storage.commit(writes, at: position)
  }
}
