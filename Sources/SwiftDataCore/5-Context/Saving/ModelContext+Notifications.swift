import Foundation

extension ModelContext {
  /// Posted before a context writes its changes; the object is the context.
  public static let willSave = Notification.Name("ModelContextWillSave")

  /// Posted after a context has written its changes; the object is the context, and the user info holds arrays of
  /// ``PersistentIdentifier`` under the keys of ``NotificationKey``, and under `historyTokens` a dictionary of history
  /// tokens by store identifier.
  public static let didSave = Notification.Name("ModelContextDidSave")

  /// Keys of the user info of ``didSave``.
  public enum NotificationKey: String, Sendable {
    case queryGeneration
    case invalidatedAllIdentifiers
    case insertedIdentifiers = "inserted"
    case updatedIdentifiers = "updated"
    case deletedIdentifiers = "deleted"
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
