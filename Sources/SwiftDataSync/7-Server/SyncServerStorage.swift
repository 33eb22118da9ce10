/// The store operations that a server's ledger needs.
package protocol SyncServerStorage: AnyObject {
  func position() throws -> Int64
  /// Returns the objects that authors other than clients have changed, by transaction in ascending order.
  ///
  /// - Parameters:
  ///   - number: The transaction after which the result begins.
  ///   - limit: The approximate number of transactions and of objects after which it ends.
  /// - Returns: The edits, and the last transaction that was read; nil when all were.
  /// - Throws: ``SyncHistoryExpired`` when transactions after the number are gone.
  func edits(
    after number: Int64, limit: Int
  ) throws -> (edits: [(transaction: Int64, objects: [SyncObjectID])], through: Int64?)
  /// Returns all objects, and those that no longer exist.
  func allObjects() throws -> [SyncObjectID]
  /// Returns the objects that exist and have no version.
  func objectsWithoutVersions() throws -> [SyncObjectID]
  func load(_ objects: [SyncObjectID]) throws -> [SyncObjectID: SyncServerEntry]
  /// Returns the scopes of the objects that exist.
  func scopes(of objects: Set<SyncObjectID>) throws -> [SyncObjectID: SyncScope]
  /// See ``SyncStorage/canonical(_:)``.
  func canonical(_ object: SyncObjectID) -> SyncObjectID
  /// See ``SyncStorage/complete(_:of:over:)``.
  func complete(
    _ values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) throws -> SyncValues?
  /// See ``SyncStorage/obstacles(to:)``.
  func obstacles(
    to values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle]
  /// Returns the objects that the delete rule `cascade` deletes together with each object that values delete.
  ///
  /// - Parameter values: The values to be stored, which count instead of the stored ones; nil for deleted objects.
  func dependents(
    after values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: Set<SyncObjectID>]
  /// Returns the objects that the relationships of an object may lead to that values set.
  ///
  /// - Parameter known: The object's values before; relationships that keep their destinations don't count.
  func newDestinations(
    in values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) -> Set<SyncObjectID>
  /// Returns the values with references to objects that don't exist in place of new references to hidden ones.
  ///
  /// - Parameters:
  ///   - hidden: The hidden objects.
  ///   - known: The object's values before; relationships that keep their destinations stay.
  func concealing(
    _ hidden: Set<SyncObjectID>, in values: SyncValues, of object: SyncObjectID,
    over known: SyncValues?
  ) -> SyncValues
  /// Returns the stored outcomes of changes, by the IDs of the changes.
  func remembered(_ changes: [String], client: String) throws -> [String: SyncOutcome]
  /// Returns objects and tombstones by version. Versions aren't divided.
  ///
  /// - Parameters:
  ///   - version: The version after which the result starts.
  ///   - scope: The user whose objects are returned in addition to those without a scope; nil for
  ///     only the latter.
  ///   - limit: The minimum number of objects, if there are as many.
  func changes(
    after version: Int64, scope: String?, limit: Int
  ) throws -> (changes: [SyncRemote], through: Int64, hasMore: Bool)
  func progress() throws -> SyncServerProgress?
  /// Returns the newest ranges of versions that servers of the store have skipped, at most
  /// ``SyncPage/maximumSkipped``, in ascending order.
  func skippedVersions() throws -> [ClosedRange<Int64>]
  /// Gives the server that begins to work on the store a number, greater than those of the servers before.
  func begin() throws -> Int64
  func claim() throws -> SyncServerClaim
  /// See ``SyncStorage/commit(_:at:)``.
  ///
  /// - Parameter position: The last transaction that the store may have; nil for any.
  func commit(_ writes: SyncServerWrites, at position: Int64?) throws
}

extension SyncServerStorage {
  package func objectsWithoutVersions() throws -> [SyncObjectID] {
    try load(allObjects()).filter { $0.value.values != nil && $0.value.version == nil }.keys
      .sorted()
  }

  package func begin() throws -> Int64 { 0 }

  package func canonical(_ object: SyncObjectID) -> SyncObjectID { object }

  package func dependents(
    after values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: Set<SyncObjectID>] { [:] }

  package func newDestinations(
    in values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) -> Set<SyncObjectID> { [] }

  package func concealing(
    _ hidden: Set<SyncObjectID>, in values: SyncValues, of object: SyncObjectID,
    over known: SyncValues?
  ) -> SyncValues { values }

  package func scopes(of objects: Set<SyncObjectID>) throws -> [SyncObjectID: SyncScope] {
    try load(Array(objects)).filter { $0.value.values != nil }.mapValues { entry in
      entry.scope.map { .user($0) } ?? .everybody
    }
  }
}

/// The users who may read an object.
package enum SyncScope: Hashable, Sendable {
  case everybody
  case user(String)
}

/// The state of one object on the server.
package struct SyncServerEntry: Hashable, Sendable {
  package var values: SyncValues?
  /// The version; nil for an object that has never existed.
  package var version: Int64?
  /// The only user who may read the object; nil for all users.
  package var scope: String?

  package init(values: SyncValues? = nil, version: Int64? = nil, scope: String? = nil) {
    self.values = values
    self.version = version
    self.scope = scope
  }
}

package struct SyncServerProgress: Hashable, Sendable {
  /// The greatest last version with which a server goes on.
  static let maximumVersion = Int64.max / 2

  /// The last transaction of the history whose objects have versions.
  package var checkpoint: Int64 = 0
  /// The last assigned version.
  package var version: Int64 = 0
  /// The version up to which tombstones have been deleted.
  package var forgotten: Int64 = 0
  package var revision: Int64 = 0

  package init() {}
}

/// The models of the server that works on a store.
package struct SyncServerClaim: Hashable, Sendable {
  /// The names of the synchronized properties, by entity; nil when the store doesn't name them.
  package var properties: [String: [String]]?
  /// The entities that servers before synchronized, and that the last one doesn't.
  package var former: Set<String>
  /// The number of the last server that named them, see ``SyncServerStorage/begin()``; 0 when it isn't known.
  package var number: Int64

  package init(
    properties: [String: [String]]? = nil, former: Set<String> = [], number: Int64 = 0
  ) {
    self.properties = properties
    self.former = former
    self.number = number
  }

  /// All entities that servers have synchronized.
  var entities: Set<String> { former.union((properties ?? [:]).keys) }
}

package struct SyncServerWrites {
  package var values: [(object: SyncObjectID, values: SyncValues?)] = []
  /// The versions and scopes of objects; the values are ignored.
  package var entries: [SyncObjectID: SyncServerEntry] = [:]
  /// The scopes that objects have left, with the version of that change.
  package var departures: [(object: SyncObjectID, scope: String?, version: Int64)] = []
  package var answers: [(client: String, change: String, outcome: SyncOutcome)] = []
  /// The versions that are skipped before the new ones.
  package var skipped: ClosedRange<Int64>?
  /// Another claim of the store; nil when it stays as it is.
  package var claim: SyncServerClaim?
  package var progress: SyncServerProgress

  package init(_ progress: SyncServerProgress) {
    self.progress = progress
    self.progress.revision &+= 1
  }
}
