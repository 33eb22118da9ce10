import Foundation

/// Rows that were inserted on behalf of a context without models.
extension ModelContext {
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
