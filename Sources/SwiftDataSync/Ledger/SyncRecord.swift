import Foundation

/// What is known of an object beside its values: what both sides last agreed on.
package struct SyncRecord: Hashable, Sendable {
  /// The server's version that ``base`` is; nil when the server doesn't have the object.
  package var version: Int64?
  /// The values that both sides last agreed on. They stay when the server has deleted the object and the local edit
  /// won: others may bring it back too, and what both did is told by them.
  package var base: SyncValues?
  /// Why a change of the object isn't sent; nil when nothing keeps it.
  package var parking: SyncParking? {
    get { rareParking.value }
    set { rareParking = Rare(newValue) }
  }
  /// Whether the object differs from ``base`` and is to be sent, though the history behind the acknowledged place may
  /// not say so.
  package var isOwed = false
  /// What the server has newly, kept back until it is known whether a change of ours is a part of it.
  package var held: SyncRemote? {
    get { rareHeld.value }
    set { rareHeld = Rare(newValue) }
  }
  /// The full comparison that last saw the object on the server.
  package var epoch: Int64 = 0
  // A page may have hundreds of thousands of records, hardly one of them with these.
  private var rareParking: Rare<SyncParking>
  private var rareHeld: Rare<SyncRemote>

  package init(
    version: Int64? = nil, base: SyncValues? = nil, parking: SyncParking? = nil,
    isOwed: Bool = false, held: SyncRemote? = nil, epoch: Int64 = 0
  ) {
    self.version = version
    self.base = base
    rareParking = Rare(parking)
    self.isOwed = isOwed
    rareHeld = Rare(held)
    self.epoch = epoch
  }

  /// Whether nothing is lost when it is forgotten.
  package var isEmpty: Bool {
    version == nil && base == nil && parking == nil && !isOwed && held == nil
  }
}

/// An optional value that takes a word where it is absent, as it mostly is.
private indirect enum Rare<Value: Hashable & Sendable>: Hashable, Sendable {
  case absent
  case present(Value)

  init(_ value: Value?) {
    self = value.map { .present($0) } ?? .absent
  }

  var value: Value? { if case .present(let value) = self { value } else { nil } }
}

/// A change that was set aside, so that others can go on.
public struct SyncParking: Hashable, Sendable {
  /// Why a change was set aside.
  public enum Reason: Hashable, Sendable {
    /// The server won't have it.
    case rejected(SyncRejection)
    /// The server fails whenever it gets this change.
    case failing(message: String)
    /// What the server has doesn't fit the model, as when the server is of a newer version; the local object stays as
    /// it was.
    case unreadable
    /// It refers to an object whose own change is set aside.
    case waits(for: SyncObjectID)
    /// The server has deleted it, but the delete rule of a relationship with another object keeps it here. It goes when
    /// that one does. The key is empty when the other's class doesn't take part.
    case denied(by: SyncObjectID)
    /// What the server has is the same in unique properties as another object here. It comes when that one has changed or
    /// gone. The key is empty when the other's class doesn't take part.
    case duplicate(of: SyncObjectID, properties: [String])

    /// The server has it with attachments that couldn't be fetched yet. It comes with them; the next pull tries again.
    case attachments(properties: [String])

    /// Whether something here keeps the server's news back, so that they can be taken later.
    var isObstacle: Bool {
      switch self {
      case .denied, .duplicate, .attachments: true
      case .rejected, .failing, .unreadable, .waits: false
      }
    }
  }

  public var reason: Reason
  /// When, by the local clock.
  public var date: Date
  /// What was pushed; nil for a change that never was. An edit that makes the object differ from it ends the parking.
  /// An attempt with the same content has the same idempotency key, unless the server has refused it: then it is
  /// another attempt, which the server decides anew.
  package var change: SyncChange?
  /// Whether the server may have stored it: an attempt had no answer. Then the same change is sent again, whatever the
  /// object has become, and what the server has newly waits for the answer.
  package var isUncertain: Bool

  package init(reason: Reason, date: Date, change: SyncChange?, isUncertain: Bool = false) {
    self.reason = reason
    self.date = date
    self.change = change
    self.isUncertain = isUncertain
  }
}

/// A change that was, or is about to be, handed to the server and has no answer yet.
package struct SyncInFlight: Hashable, Sendable {
  package var change: SyncChange
  /// The last transaction of the history that is in it.
  package var through: Int64
  /// What has the same number was saved together and is sent together.
  package var unit: Int64

  package init(change: SyncChange, through: Int64, unit: Int64) {
    self.change = change
    self.through = through
    self.unit = unit
  }
}

/// What is kept of the exchange as a whole.
package struct SyncProgress: Hashable, Sendable {
  /// Names this store for the server.
  package var client: String
  /// Everything in the history up to here has been acknowledged by the server, is parked, or needn't be sent.
  package var acknowledged: Int64
  /// Where the next page begins; nil for the beginning.
  package var cursor: String?
  /// The number of the present full comparison; records that none has seen have 0.
  package var epoch: Int64 = 1
  /// Whether a full comparison is under way.
  package var isComparing = true
  /// When an exchange last succeeded, by entity.
  package var lastPush: [String: Date] = [:]
  package var lastPull: Date?
  /// Grows with every commit, so that two engines on one store notice each other.
  package var revision: Int64 = 0

  package init(client: String, acknowledged: Int64) {
    self.client = client
    self.acknowledged = acknowledged
  }
}
