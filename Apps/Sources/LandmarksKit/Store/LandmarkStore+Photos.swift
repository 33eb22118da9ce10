import Foundation
import SwiftData

extension LandmarkStore {
  /// Returns the photos, in the order in which they were added. Their bytes aren't read.
  /// - Parameter reservation: The visit; nil returns the photos of all visits.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func photos(of reservation: UUID? = nil) throws -> [VisitPhoto] {
    try working("read") { context in
      var descriptor = FetchDescriptor<StoredPhoto>(
        sortBy: [SortDescriptor(\.added), SortDescriptor(\.remoteID)])
      if let reservation {
        descriptor.predicate = #Predicate { $0.reservationID == reservation }
      }
      descriptor.propertiesToFetch = [\.remoteID, \.reservationID, \.added, \.caption]
      return try context.fetch(descriptor).map { $0.toDomain() }
    }
  }

  /// Returns a photo with its bytes; nil if the store doesn't have it.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func photo(_ id: UUID) throws -> (photo: VisitPhoto, data: Data)? {
    try working("read") { context in
      try Self.storedPhoto(id, context).map { ($0.toDomain(), $0.data) }
    }
  }

  /// Adds a photo to a visit.
  /// - Parameters:
  ///   - photo: The photo. If the store has one with this identifier and the same contents, it is left as it is, so
  ///     that a request can be repeated.
  ///   - data: The image: JPEG, PNG or WebP.
  /// - Throws: ``LandmarksError/Code/invalidArgument`` for an image or a caption that can't be taken, and for too many
  ///   photos of the visit, ``LandmarksError/Code/notFound`` without the visit, ``LandmarksError/Code/storeFailure``.
  public func add(_ photo: VisitPhoto, data: Data) throws {
    try editing { try Self.add(photo, data, $0) }
  }

  /// Changes the caption of a photo. Of two devices that change it, the one that exchanges last counts.
  /// - Parameters:
  ///   - caption: The caption; empty for none.
  ///   - id: The photo.
  ///   - now: The current time.
  /// - Throws: ``LandmarksError/Code/invalidArgument`` for a caption that can't be taken,
  ///   ``LandmarksError/Code/notFound`` without the photo, ``LandmarksError/Code/storeFailure``.
  public func setCaption(_ caption: String, ofPhoto id: UUID, now: Date = .now) throws {
    try editing { try Self.setCaption(caption, ofPhoto: id, $0, now) }
  }

  /// Removes a photo; does nothing if it doesn't exist.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func removePhoto(_ id: UUID) throws {
    try editing { try Self.removePhoto(id, $0) }
  }

  static func storedPhoto(_ id: UUID, _ context: ModelContext) throws -> StoredPhoto? {
    var descriptor = FetchDescriptor<StoredPhoto>(predicate: #Predicate { $0.remoteID == id })
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }
}

/// The edits in a context, which the caller saves.
extension LandmarkStore {
  static func add(_ photo: VisitPhoto, _ data: Data, _ context: ModelContext) throws {
    if let known = try storedPhoto(photo.id, context) {
      guard known.toDomain() == photo, known.data == data else {
        throw LandmarksError(
          .invalidArgument, photo.id.uuidString, reason: "another photo has this identifier")
      }
      return
    }
    try VisitPhoto.check(data)
    try VisitPhoto.check(caption: photo.caption)
    let id = photo.reservationID
    let visit: StoredReservation? = try stored(id, context)
    guard visit != nil else {
      throw LandmarksError(
        .notFound, id.uuidString, reason: "there is no such reservation in the store")
    }
    let count = try context.fetchCount(
      FetchDescriptor<StoredPhoto>(predicate: #Predicate { $0.reservationID == id }))
    guard count < VisitPhoto.maximumCount else {
      throw LandmarksError(
        .invalidArgument, "photo",
        reason: "a visit has at most \(VisitPhoto.maximumCount) photos; remove one before")
    }
    context.insert(StoredPhoto(photo, data: data))
  }

  static func setCaption(
    _ text: String, ofPhoto id: UUID, _ context: ModelContext, _ now: Date
  ) throws {
    let caption = VisitNote.normalized(text)
    try VisitPhoto.check(caption: caption)
    guard let stored = try storedPhoto(id, context) else {
      throw LandmarksError(
        .notFound, id.uuidString, reason: "there is no such photo in the store")
    }
    if stored.caption != caption { stored.caption = caption }
    try chooseCaption(caption, of: id, context, now)
  }

  static func removePhoto(_ id: UUID, _ context: ModelContext) throws {
    if let stored = try storedPhoto(id, context) { context.delete(stored) }
    try forgetCaption(of: id, context)
  }

  /// Removes the photos of a visit.
  static func removePhotos(of visit: UUID, _ context: ModelContext) throws {
    let descriptor = FetchDescriptor<StoredPhoto>(
      predicate: #Predicate { $0.reservationID == visit })
    for photo in try context.fetch(descriptor) {
      try forgetCaption(of: photo.remoteID, context)
      context.delete(photo)
    }
  }
}
