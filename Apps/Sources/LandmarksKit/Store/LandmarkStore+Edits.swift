import Foundation
import SwiftData

/// Edits with keys, each of which is made once however often it is delivered.
extension LandmarkStore {
  /// Makes an edit, unless it has been made before. The edit and its key are stored in one transaction.
  ///
  /// Two simultaneous calls with the same key may both make the edit; the caller prevents them.
  /// - Parameters:
  ///   - edit: The edit.
  ///   - key: The key of the edit; nil makes it in any case.
  ///   - now: The current time.
  /// - Returns: Whether it was made now.
  /// - Throws: ``LandmarksError/Code/invalidArgument`` for a date out of range, a note that is too long, a photo or
  ///   a caption that can't be taken, or a key from before ``EditKey/lifetime``, ``LandmarksError/Code/notFound``,
  ///   ``LandmarksError/Code/storeFailure``. A refused edit isn't remembered: it may be repeated.
  @discardableResult
  public func make(_ edit: LandmarkEdit, key: EditKey?, now: Date = .now) throws -> Bool {
    try editing { context in
      if let key, try Self.isMade(key, context, now) { return false }
      switch edit {
      case .favorite(let id, let isFavorite): try Self.setFavorite(id, isFavorite, context)
      case .reservation(let id, let landmarkID, let date, let note):
        try Self.reserve(
          Reservation(id: id, landmarkID: landmarkID, date: date, note: note), context, now)
      case .move(let id, let date): try Self.move(id, to: date, context, now)
      case .note(let id, let note, let base): try Self.setNote(id, note, base: base, context)
      case .cancellation(let id): try Self.cancel(id, context, now)
      case .removal(let id): try Self.remove(id, context)
      case .photo(let photo, let data): try Self.add(photo, data, context)
      case .photoCaption(let id, let caption):
        try Self.setCaption(caption, ofPhoto: id, context, now)
      case .photoRemoval(let id): try Self.removePhoto(id, context)
      }
      if let key { context.insert(StoredEdit(key: key.id, stored: now)) }
      return true
    }
  }

  /// Returns whether the edit with a key has been made.
  /// - Throws: ``LandmarksError/Code/invalidArgument`` for one from before ``EditKey/lifetime``,
  ///   ``LandmarksError/Code/storeFailure``.
  public func isMade(_ key: EditKey, now: Date = .now) throws -> Bool {
    try working("read") { try Self.isMade(key, $0, now) }
  }

  /// Remembers an edit that was made elsewhere than in this store's models.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func remember(_ key: EditKey, now: Date = .now) throws {
    try editing { $0.insert(StoredEdit(key: key.id, stored: now)) }
  }

  /// Deletes the keys of edits that are old enough to be refused by their time, and choices of visits and captions as
  /// old.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func forgetOldEdits(now: Date = .now) throws {
    // Makers' clocks may be ahead, so keys stay a day longer than they are accepted.
    let limit = now.addingTimeInterval(-EditKey.lifetime - 86_400)
    try working("written") { context in
      try context.delete(model: StoredEdit.self, where: #Predicate { $0.stored < limit })
      try context.delete(
        model: ChosenVisit.self, where: #Predicate { $0.date < limit && $0.made < limit })
      try context.delete(model: ChosenCaption.self, where: #Predicate { $0.made < limit })
      try context.save()
    }
  }

  /// The store's identifier, which no other store has; nil as long as it has no landmarks.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func identifier() throws -> String? {
    try working("read") { context in
      var descriptor = FetchDescriptor<StoredLandmark>()
      descriptor.fetchLimit = 1
      return try context.fetchIdentifiers(descriptor).first?.storeIdentifier
    }
  }

  private static func isMade(_ key: EditKey, _ context: ModelContext, _ now: Date) throws -> Bool {
    let id = key.id
    var descriptor = FetchDescriptor<StoredEdit>(predicate: #Predicate { $0.key == id })
    descriptor.fetchLimit = 1
    if try context.fetchCount(descriptor) > 0 { return true }
    guard !key.isForgotten(at: now) else {
      throw LandmarksError(
        .invalidArgument, "", reason: "the edit was made more than a year ago; make it again")
    }
    return false
  }
}
