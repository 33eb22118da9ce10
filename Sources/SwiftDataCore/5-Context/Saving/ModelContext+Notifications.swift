import Foundation

extension ModelContext {
  /// Posted before a context writes its changes; the object is the context.
  public static let willSave = Notification.Name("ModelContextWillSave")

  /// Posted after a context has written its changes; the object is the context, and the user info holds arrays of
  /// ``PersistentIdentifier`` under the keys of ``NotificationKey``, and under `historyTokens` a dictionary of history
  /// tokens by store identifier.
  public static let didSave = Notification.Name("ModelContextDidSave")

  /// Keys of the user info of ``didSave``, where each is the same key as its raw value.
  public enum NotificationKey: String, Sendable {
    /// Never sent here.
    case queryGeneration
    /// Never sent here.
    case invalidatedAllIdentifiers
    /// The identifiers of inserted models.
    case insertedIdentifiers = "inserted"
    /// The identifiers of changed models.
    case updatedIdentifiers = "updated"
    /// The identifiers of deleted models.
    case deletedIdentifiers = "deleted"
    /// The history tokens of the save, by the identifiers of the stores.
    case historyTokens
    /// The models whose changes ``ModelContext/mergePolicy`` discarded at the save, because another context or process
    /// had deleted or changed their rows. An addition to Apple's keys.
    case discardedIdentifiers = "discarded"
  }

  // MARK: Rows that were inserted on behalf of a context without models

  /// Posts ``willSave`` before rows are inserted, as a save does.
  package func announceInsertions() {
    NotificationCenter.default.post(name: Self.willSave, object: self)
  }

  /// Posts ``didSave`` for inserted rows, as a save does for its models.
  package func announce(inserted identifiers: [PersistentIdentifier]) {
    var saved = SavedIdentifiers()
    saved.inserted = identifiers
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: saved.userInfo)
  }
}

// The keys in the dictionary are strings, so that it can be cast to a dictionary of strings as a whole.
extension ModelContext.NotificationKey: _HasCustomAnyHashableRepresentation {
  public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(rawValue) }
}
