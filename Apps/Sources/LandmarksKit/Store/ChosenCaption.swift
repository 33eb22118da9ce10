import Foundation
import SwiftData

/// The last caption that this device's user gave a photo. It isn't exchanged; by it, a caption that arrives from
/// elsewhere is recognized, and the user's can be given again.
@Model
final class ChosenCaption {
  /// The identifier of the photo.
  @Attribute(.unique) var remoteID: UUID
  var caption: String
  /// The time of the choice.
  var made: Date

  init(_ photo: UUID, _ caption: String, made: Date) {
    remoteID = photo
    self.caption = caption
    self.made = made
  }
}

extension LandmarkStore {
  /// Records the user's caption, in a context that the caller saves.
  static func chooseCaption(
    _ caption: String, of photo: UUID, _ context: ModelContext, _ now: Date
  ) throws {
    guard let known = try chosenCaption(photo, context) else {
      return context.insert(ChosenCaption(photo, caption, made: now))
    }
    known.caption = caption
    known.made = now
  }

  /// Forgets the user's caption, in a context that the caller saves.
  static func forgetCaption(of photo: UUID, _ context: ModelContext) throws {
    if let known = try chosenCaption(photo, context) { context.delete(known) }
  }

  private static func chosenCaption(
    _ photo: UUID, _ context: ModelContext
  ) throws -> ChosenCaption? {
    var descriptor = FetchDescriptor<ChosenCaption>(predicate: #Predicate { $0.remoteID == photo })
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }

  /// Forgets the user's caption of a photo, so that no notice is left of it.
  /// - Parameter made: The time of the notice that the user has seen: a caption that was given later stays; nil for
  ///   any.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  func acceptCaption(of photo: UUID, made: Date? = nil) throws {
    try editing { context in
      guard let known = try Self.chosenCaption(photo, context) else { return }
      if let made, known.made.timeIntervalSince(made) > SyncNotice.precision { return }
      context.delete(known)
    }
  }

  /// Returns a notice for each photo whose caption is no longer the one that this device's user gave it, because it was
  /// changed elsewhere.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  func captionsElsewhere() throws -> [SyncNotice] {
    try working("read") { context in
      let choices = try context.fetch(FetchDescriptor<ChosenCaption>())
      guard !choices.isEmpty else { return [] }
      var descriptor = FetchDescriptor<StoredPhoto>()
      descriptor.propertiesToFetch = [\.remoteID, \.reservationID, \.caption]
      let photos = Dictionary(try context.fetch(descriptor).map { ($0.remoteID, $0) }) { first, _ in
        first
      }
      return try choices.compactMap { choice in
        guard let photo = photos[choice.remoteID], photo.caption != choice.caption else {
          return nil
        }
        let visit: StoredReservation? = try Self.stored(photo.reservationID, context)
        var notice = SyncNotice(
          kind: .captionedElsewhere, reservationID: photo.reservationID,
          landmarkID: visit?.landmarkID, made: choice.made)
        notice.photoID = choice.remoteID
        notice.caption = choice.caption
        notice.otherCaption = photo.caption
        return notice
      }
    }
  }
}
