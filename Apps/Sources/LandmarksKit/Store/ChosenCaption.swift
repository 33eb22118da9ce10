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
  /// - Parameters:
  ///   - photo: The photo.
  ///   - made: The time of the notice that the user has seen: a later change stays to be told; nil for any.
  ///   - decided: The time of the last decision about the photo, which a notice may be about, too.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  func acceptCaption(of photo: UUID, made: Date? = nil, decided: Date? = nil) throws {
    try editing { context in
      guard let known = try Self.chosenCaption(photo, context) else { return }
      if let made {
        let told = Self.noticeTime(known, try Self.storedPhoto(photo, context))
        let past = max(told, decided ?? .distantPast).timeIntervalSince(made)
        guard past <= SyncNotice.precision else { return }
      }
      context.delete(known)
    }
  }

  private static func noticeTime(_ choice: ChosenCaption, _ photo: StoredPhoto?) -> Date {
    max(choice.made, photo?.lastSynced ?? .distantPast)
  }

  /// Returns a notice for each photo whose caption is no longer the one that this device's user gave it, because it was
  /// changed elsewhere.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  func captionsElsewhere() throws -> [SyncNotice] {
    try working("read") { context in
      let choices = try context.fetch(FetchDescriptor<ChosenCaption>())
      guard !choices.isEmpty else { return [] }
      var descriptor = FetchDescriptor<StoredPhoto>()
      descriptor.propertiesToFetch = [\.remoteID, \.reservationID, \.caption, \.lastSynced]
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
          landmarkID: visit?.landmarkID, made: Self.noticeTime(choice, photo))
        notice.photoID = choice.remoteID
        notice.caption = choice.caption
        notice.otherCaption = photo.caption
        return notice
      }
    }
  }
}
