/// What a server's ledger needs of the store that it serves.
package protocol SyncServerStorage: AnyObject {
  func position() throws -> Int64
  /// As ``SyncStorage/edits(after:)``.
  func edits(after number: Int64) throws -> [(transaction: Int64, objects: [SyncObjectID])]
  func allObjects() throws -> [SyncObjectID]
  func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncServerEntry]
  /// Who may see an object that has a version.
  func scope(of object: SyncObjectID) throws -> SyncScope
  /// As ``SyncStorage/canonical(_:)``.
  func canonical(_ object: SyncObjectID) -> SyncObjectID
  /// As ``SyncStorage/complete(_:of:over:)``.
  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) throws -> SyncValues?
  /// As ``SyncStorage/obstacles(to:)``.
  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle]
  /// What was answered to changes before, by their ids.
  func remembered(_ changes: [String], client: String) throws -> [String: SyncOutcome]
  /// Objects and tombstones by version, whole versions only.
  ///
  /// - Parameters:
  ///   - version: Those behind it.
  ///   - scope: Those of this scope and those of none; nil for those of none only.
  ///   - limit: At least so many, when there are as many.
  func changes(
    after version: Int64, scope: String?, limit: Int
  ) throws -> (changes: [SyncRemote], through: Int64, hasMore: Bool)
  func progress() throws -> SyncServerProgress?
  /// As ``SyncStorage/commit(_:at:)``.
  func commit(_ writes: SyncServerWrites, at position: Int64) throws
}

extension SyncServerStorage {
  package func canonical(_ object: SyncObjectID) -> SyncObjectID { object }

  package func scope(of object: SyncObjectID) throws -> SyncScope {
    guard let entry = try load([object])[object], entry.values != nil else { return .nobody }
    return entry.scope.map { .user($0) } ?? .everybody
  }
}

/// Who may see an object.
package enum SyncScope: Hashable, Sendable {
  case everybody
  case user(String)
  /// It isn't there.
  case nobody
}

/// What a server knows of one object.
package struct SyncServerEntry: Hashable, Sendable {
  package var values: SyncValues?
  /// nil for an object that never was.
  package var version: Int64?
  /// Who may see it; nil for everybody.
  package var scope: String?

  package init(values: SyncValues? = nil, version: Int64? = nil, scope: String? = nil) {
    self.values = values
    self.version = version
    self.scope = scope
  }
}

package struct SyncServerProgress: Hashable, Sendable {
  /// The last transaction of the history that has versions.
  package var absorbed: Int64 = 0
  /// The last version given.
  package var version: Int64 = 0
  /// Tombstones up to this version are forgotten.
  package var forgotten: Int64 = 0
  package var revision: Int64 = 0

  package init() {}
}

package struct SyncServerWrites {
  package var values: [(object: SyncObjectID, values: SyncValues?)] = []
  /// Version and scope of objects; the values aren't looked at.
  package var entries: [SyncObjectID: SyncServerEntry] = [:]
  /// Scopes that objects have left, with the version of it.
  package var departures: [(object: SyncObjectID, scope: String?, version: Int64)] = []
  package var answers: [(client: String, change: String, outcome: SyncOutcome)] = []
  package var progress: SyncServerProgress

  package init(_ progress: SyncServerProgress) {
    self.progress = progress
    self.progress.revision += 1
  }
}
