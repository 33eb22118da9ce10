import Foundation

/// Rows that were inserted on behalf of a context without models.
extension ModelContext {
  /// Tells that rows are about to be inserted, as a save does.
  package func announceInsertions() {
    NotificationCenter.default.post(name: Self.willSave, object: self)
  }

  /// Tells that rows were inserted, as a save does of its models.
  package func announce(inserted identifiers: [PersistentIdentifier]) {
    var saved = SavedIdentifiers()
    saved.inserted = identifiers
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: saved.userInfo)
  }
}
