import Foundation

/// The rule that resolves a conflict: both sides have changed the same property of an object, or one side has deleted
/// it.
///
/// A change on one side only needs no policy: it is adopted.
public enum SyncPolicy: Sendable {
  /// The server's values; in case of a deletion on either side, the server's state.
  case serverWins
  /// The local values; an object that was deleted on the server is restored with them.
  case clientWins
  /// The side with the greater value of a property, such as the date of its last change. The server wins when the
  /// values are equal. An edit wins over a deletion, which has no such value.
  case latestWins(property: String)
  /// The decision of a closure, which must return the same decision for the same conflict.
  case custom(@Sendable (SyncConflict) -> SyncDecision)
}

/// An object that both sides have changed.
public struct SyncConflict: Hashable, Sendable {
  /// The object in conflict.
  public var object: SyncObjectID
  /// The values on which both sides are based; nil when both have created the object.
  public var base: SyncValues?
  /// The local values; nil for an object that was deleted locally.
  public var local: SyncValues?
  /// The values on the server; nil for an object that was deleted there.
  public var remote: SyncValues?
  /// The properties that both sides have changed differently, in the order of their names; empty when one side
  /// deleted the object.
  public var properties: [String]

  /// Creates a conflict.
  public init(
    object: SyncObjectID, base: SyncValues?, local: SyncValues?, remote: SyncValues?,
    properties: [String]
  ) {
    self.object = object
    self.base = base
    self.local = local
    self.remote = remote
    self.properties = properties
  }
}

/// The resolution of a conflict.
public enum SyncDecision: Hashable, Sendable {
  /// The server's values for the properties in conflict, or its deletion.
  case server
  /// The local values for the properties in conflict, or the local deletion.
  case client
  /// These values for the properties in conflict; of an object that one side deleted, all values. Properties that are
  /// left out get the server's value.
  case values(SyncValues)
}

/// A conflict and its resolution, as stored.
public struct SyncResolution: Hashable, Sendable {
  /// The conflict.
  public var conflict: SyncConflict
  /// The decision.
  public var decision: SyncDecision
  /// The object after the decision; nil when it is deleted.
  public var result: SyncValues?
  /// The date of the decision, by the local clock; nil for a decision that isn't stored.
  public var date: Date?

  /// Creates a record of a decision.
  public init(
    conflict: SyncConflict, decision: SyncDecision, result: SyncValues?, date: Date? = nil
  ) {
    self.conflict = conflict
    self.decision = decision
    self.result = result
    self.date = date
  }
}
