import Foundation

/// Who wins where both sides have changed the same property of an object, or one has deleted it.
///
/// What only one side has changed needs no policy: it is taken over.
public enum SyncPolicy: Sendable {
  /// The server's values; a deletion on either side gives way to what the server has.
  case serverWins
  /// The local values; what was deleted on the server comes back with them.
  case clientWins
  /// The side with the greater value of a property, such as the date of its last change. Equal values: the server.
  /// An edit wins over a deletion, which has no such value.
  case latestWins(property: String)
  /// What a closure says, which must give the same answer for the same conflict.
  case custom(@Sendable (SyncConflict) -> SyncDecision)
}

/// An object that both sides have changed.
public struct SyncConflict: Hashable, Sendable {
  public var object: SyncObjectID
  /// The values on which both sides built; nil when both have made the object.
  public var base: SyncValues?
  /// The values here; nil for an object that was deleted here.
  public var local: SyncValues?
  /// The values on the server; nil for an object that was deleted there.
  public var remote: SyncValues?
  /// The properties that both sides have changed differently, in the order of their names; empty when one side
  /// deleted the object.
  public var properties: [String]

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

/// How a conflict ends.
public enum SyncDecision: Hashable, Sendable {
  /// The server's values for the properties in conflict, or its deletion.
  case server
  /// The local values for the properties in conflict, or the local deletion.
  case client
  /// These values for the properties in conflict; of an object that one side deleted, all values. Properties that are
  /// left out get the server's value.
  case values(SyncValues)
}

/// A conflict and how it ended, as it is kept in the store.
public struct SyncResolution: Hashable, Sendable {
  public var conflict: SyncConflict
  public var decision: SyncDecision
  /// The object as it was after the decision; nil when it is gone.
  public var result: SyncValues?
  /// When it was decided, by the local clock; nil for one that isn't kept.
  public var date: Date?

  public init(
    conflict: SyncConflict, decision: SyncDecision, result: SyncValues?, date: Date? = nil
  ) {
    self.conflict = conflict
    self.decision = decision
    self.result = result
    self.date = date
  }
}
