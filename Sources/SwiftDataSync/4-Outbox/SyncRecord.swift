import Foundation

/// The sync metadata of an object: the version and the values on which both sides last agreed, and its sync state.
package struct SyncRecord: Hashable, Sendable {
  /// The server's version of ``base``; nil when the server doesn't have the object.
  package var version: Int64?
  /// The values on which both sides last agreed. They are kept when the server has deleted the object and the local
  /// edit won: another client may bring the object back too, and the base shows what both sides changed.
  package var base: SyncValues?
  /// The reason why a change of the object isn't sent; nil when nothing prevents it.
  package var quarantine: SyncQuarantine? {
    get { rareQuarantine.value }
    set { rareQuarantine = Rare(newValue) }
  }
  /// Whether the object differs from ``base`` and has to be sent although the history after the acknowledged
  /// transaction may not show it.
  package var isPending = false
  /// The server's newest version, deferred until it is known whether it contains a local change.
  package var deferred: SyncRemote? {
    get { rareDeferred.value }
    set { rareDeferred = Rare(newValue) }
  }
  /// The number of the full comparison that last saw the object on the server; ``missed`` in a special case.
  package var epoch: Int64 = 0
  /// The ``epoch`` of an object that a full comparison hasn't seen while the server may have stored its first change:
  /// the outcome of the next attempt may repeat an old one, and the object may have been deleted since.
  package static let missed: Int64 = -1
  // A page may have hundreds of thousands of records, of which hardly any has these values.
  private var rareQuarantine: Rare<SyncQuarantine>
  private var rareDeferred: Rare<SyncRemote>

  package init(
    version: Int64? = nil, base: SyncValues? = nil, quarantine: SyncQuarantine? = nil,
    isPending: Bool = false, deferred: SyncRemote? = nil, epoch: Int64 = 0
  ) {
    self.version = version
    self.base = base
    rareQuarantine = Rare(quarantine)
    self.isPending = isPending
    rareDeferred = Rare(deferred)
    self.epoch = epoch
  }

  /// Whether the record can be deleted without a loss.
  package var isEmpty: Bool {
    version == nil && base == nil && quarantine == nil && !isPending && deferred == nil
      && epoch != Self.missed
  }
}

/// An optional value that takes one word when it is absent, which is the usual case.
private indirect enum Rare<Value: Hashable & Sendable>: Hashable, Sendable {
  case absent
  case present(Value)

  init(_ value: Value?) {
    self = value.map { .present($0) } ?? .absent
  }

  var value: Value? { if case .present(let value) = self { value } else { nil } }
}

/// A change that was quarantined so that other changes can continue.
public struct SyncQuarantine: Hashable, Sendable {
  /// The reason why a change was quarantined.
  public enum Reason: Hashable, Sendable {
    /// The server rejected the change.
    case rejected(SyncRejection)
    /// The server fails whenever it receives this change.
    case failing(message: String)
    /// The server's object doesn't fit the model, for example because the server has a newer version; the local object
    /// stays unchanged.
    case unreadable
    /// The object refers to an object whose own change is quarantined.
    case waits(for: SyncObjectID)
    /// The server has deleted the object, but the delete rule of a relationship with another object keeps it here. It
    /// is deleted together with that object. The key is empty when the other class isn't synchronized. Or a cascade
    /// would delete the other object, which the server has moved to an object that hasn't arrived, or whose newer state
    /// waits itself; then the deletion waits for that.
    case denied(by: SyncObjectID)
    /// The server's object has the same values of unique properties as another local object. It is stored when that
    /// object has changed or been deleted. The key is empty when the other class isn't synchronized.
    case duplicate(of: SyncObjectID, properties: [String])

    /// The server's object has attachments that couldn't be fetched yet. It is stored together with them; the next pull
    /// tries again.
    case attachments(properties: [String])

    /// Whether a local condition holds the server's change back, so that it can be applied later.
    var isObstacle: Bool {
      switch self {
      case .denied, .duplicate, .attachments: true
      case .rejected, .failing, .unreadable, .waits: false
      }
    }
  }

  /// The reason for the quarantine.
  public var reason: Reason
  /// The date of the quarantine, by the local clock.
  public var date: Date
  /// The pushed change; nil for a change that was never pushed. An edit that makes the object differ from it ends the
  /// quarantine. An attempt with the same content has the same idempotency key, unless the server has rejected it: then
  /// it is another attempt, which the server decides again.
  package var change: SyncChange?
  /// Whether the server may have stored the change, because an attempt got no response. The same change is then sent
  /// again regardless of later edits, and newer versions from the server wait for the response.
  package var isUncertain: Bool

  package init(reason: Reason, date: Date, change: SyncChange?, isUncertain: Bool = false) {
    self.reason = reason
    self.date = date
    self.change = change
    self.isUncertain = isUncertain
  }
}

/// A change that was sent to the server, or is about to be sent, and has no response yet.
package struct SyncInFlight: Hashable, Sendable {
  package var change: SyncChange
  /// The last transaction of the history that the change includes.
  package var through: Int64
  /// The number of the unit; changes with the same number were saved together and are sent together.
  package var unit: Int64

  package init(change: SyncChange, through: Int64, unit: Int64) {
    self.change = change
    self.through = through
    self.unit = unit
  }
}

/// The state of the exchange as a whole.
package struct SyncProgress: Hashable, Sendable {
  /// The identifier of this store for the server.
  package var client: String
  /// The transaction up to which the history has been acknowledged by the server, is quarantined, or needn't be sent.
  package var acknowledged: Int64
  /// The start of the next page; nil for the beginning.
  package var cursor: String?
  /// The number of the current full comparison; records that no comparison has seen have 0.
  package var epoch: Int64 = 1
  /// Whether a full comparison is in progress.
  package var isComparing = true
  /// The times at which a push last succeeded, by entity.
  package var lastPush: [String: Date] = [:]
  package var lastPull: Date?
  /// The newest version of the server that is known here.
  package var newest: Int64 = 0
  /// The end of the last range of skipped versions that no object here has, see ``SyncPage/skippedVersions``.
  package var checked: Int64 = 0
  /// The versions of deletions that the server accepted since the last pull: nothing else of them is kept.
  package var deletions: Set<Int64> = []
  /// The names of the properties that were synchronized when the store was last used, by entity; nil when that isn't
  /// known, in stores of earlier versions.
  package var properties: [String: [String]]?
  /// Whether the comparison in progress fetches properties or entities that weren't synchronized before. Nothing is
  /// sent before its end.
  package var isCatchingUp = false
  /// Whether the pull still has to show that the server deleted objects, too, that delete rules deleted here together
  /// with others. It ends with a full comparison otherwise.
  package var hasCascaded = false
  /// Whether a full comparison fetches such objects.
  package var isRefetching = false
  /// The number of pushes that were answered. A page that was requested before the last one may lack its changes, when
  /// another engine on the store sent them.
  package var pushes: Int64 = 0
  /// Increases with every commit, so that two engines on one store notice each other.
  package var revision: Int64 = 0

  package init(client: String, acknowledged: Int64) {
    self.client = client
    self.acknowledged = acknowledged
  }
}
