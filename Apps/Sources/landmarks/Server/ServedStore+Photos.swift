import Foundation
import HTTPTypes
import LandmarksKit
import LocalApp
import SwiftData
import SwiftDataSync

extension ServedStore {
  /// The maximum number of photos of a user, and of their bytes.
  static let maximumPhotos = 500
  static let maximumPhotoBytes = 500_000_000

  /// The limits on photos' bytes that no photo has yet.
  static var uploadLimits: SyncAttachmentLimits {
    var limits = SyncAttachmentLimits()
    limits.maximumByteCount = VisitPhoto.maximumByteCount
    limits.maximumPendingByteCount = 20 * VisitPhoto.maximumByteCount
    return limits
  }

  func photos(of user: String) throws -> [PhotoAnswer] {
    var descriptor = FetchDescriptor<ServedPhoto>(
      predicate: #Predicate { $0.user == user }, sortBy: [SortDescriptor(\.added)])
    descriptor.propertiesToFetch = [
      \.number, \.reservation, \.added, \.caption, \.revision, \.digest, \.byteCount,
    ]
    return try ModelContext(container).fetch(descriptor).map(\.answer)
  }

  func photo(_ number: UUID, of user: String) throws -> PhotoAnswer {
    guard let found = try Self.photo(number, user, ModelContext(container)) else {
      throw APIFailure.notFound("There is no such photo.")
    }
    return found.answer
  }

  /// Creates a photo, or replaces one on a condition. A photo that is already equal is left as it is, regardless of the
  /// condition: the request was repeated.
  /// - Returns: The photo, and whether it is new.
  /// - Throws: ``APIFailure``: 424 when the bytes haven't arrived, and reasons for refusing the photo.
  func putPhoto(
    _ number: UUID, _ body: PhotoBody, of user: String, _ condition: Condition
  ) throws -> (answer: PhotoAnswer, isNew: Bool) {
    let context = ModelContext(container)
    let known = try Self.photo(number, user, context)
    if let known, known.body == body { return (known.answer, false) }
    try Self.check(condition, known?.revision, "photo")
    guard known == nil || condition != .none else {
      throw APIFailure(
        .preconditionRequired, "condition_required",
        "There is such a photo; say in If-Match which revision you change.")
    }
    guard try Self.reservation(body.reservationID, user, context) != nil else {
      try discard(body.data, user)
      throw APIFailure(
        .unprocessableContent, "unknown_reservation", "The visit of this photo was removed.",
        parameter: "reservationID")
    }
    let data = known?.content == body.data ? nil : try bytes(of: body.data, user)
    do {
      try checkSpace(number, body, data?.count ?? known?.byteCount ?? 0, user, context)
      if let data { try VisitPhoto.check(data) }
    } catch {
      try discard(body.data, user)
      if let error = error as? LandmarksError {
        throw APIFailure(
          .unprocessableContent, "invalid_photo", Self.sentence(error.reason), parameter: "data")
      }
      throw error
    }
    let revision = try nextRevision(context)
    let written: ServedPhoto
    if let known {
      known.reservation = body.reservationID
      known.added = body.added
      known.caption = body.caption
      if let data { known.set(body.data, data) }
      known.revision = revision
      written = known
    } else {
      written = ServedPhoto(
        user: user, number: number, body: body, data: data ?? Data(), revision: revision)
      context.insert(written)
    }
    try context.save()
    try discard(body.data, user)
    return (written.answer, known == nil)
  }

  /// Removes a photo; does nothing if it doesn't exist.
  func removePhoto(_ number: UUID, of user: String, _ condition: Condition) throws {
    let context = ModelContext(container)
    guard let known = try Self.photo(number, user, context) else { return }
    try Self.check(condition, known.revision, "photo")
    context.delete(known)
    try context.save()
  }

  private func bytes(of content: PhotoContent, _ user: String) throws -> Data {
    switch content {
    case .bytes(let data):
      guard data.count <= SyncAttachment.threshold else {
        throw APIFailure(
          .unprocessableContent, "attachment_required",
          "A photo of more than \(SyncAttachment.threshold) bytes is an attachment.",
          parameter: "data")
      }
      return data
    case .attachment(let attachment):
      guard let bytes = try uploads.bytes(of: attachment, user: user) else {
        throw APIFailure(
          .init(code: 424, reasonPhrase: "Failed Dependency"), "bytes_missing",
          "Send the photo's bytes before it: /attachments.", parameter: "data")
      }
      return Data(bytes)
    }
  }

  /// Removes the upload of a photo that has it, or that was refused: it would fill the space for what is sent.
  private func discard(_ content: PhotoContent, _ user: String) throws {
    if case .attachment(let attachment) = content { try uploads.remove(attachment, user: user) }
  }

  private func checkSpace(
    _ number: UUID, _ body: PhotoBody, _ byteCount: Int, _ user: String, _ context: ModelContext
  ) throws {
    var descriptor = FetchDescriptor<ServedPhoto>(
      predicate: #Predicate { $0.user == user && $0.number != number })
    descriptor.propertiesToFetch = [\.reservation, \.byteCount]
    let others = try context.fetch(descriptor)
    guard others.count(where: { $0.reservation == body.reservationID }) < VisitPhoto.maximumCount
    else {
      throw APIFailure(
        .unprocessableContent, "too_many_photos",
        "A visit has at most \(VisitPhoto.maximumCount) photos; remove one before.")
    }
    let total = others.reduce(Self.counted(byteCount)) { $0 + Self.counted($1.byteCount) }
    guard others.count < Self.maximumPhotos, total <= Self.maximumPhotoBytes else {
      throw APIFailure(
        .unprocessableContent, "no_space",
        "A user has at most \(Self.maximumPhotos) photos with "
          + "\(Self.maximumPhotoBytes / 1_000_000) MB together; remove old ones.")
    }
  }

  /// Returns the size of a photo for the sum of them, which would overflow for sizes as a changed store may have them.
  private static func counted(_ byteCount: Int) -> Int {
    min(max(0, byteCount), maximumPhotoBytes + 1)
  }

  /// Returns a reason as a sentence.
  private static func sentence(_ reason: String) -> String {
    reason.prefix(1).uppercased() + reason.dropFirst() + "."
  }

  private static func photo(
    _ number: UUID, _ user: String, _ context: ModelContext
  ) throws -> ServedPhoto? {
    try context.fetch(
      FetchDescriptor<ServedPhoto>(
        predicate: #Predicate { $0.user == user && $0.number == number })
    ).first
  }
}

// MARK: - Attachments

extension ServedStore: SyncAttachmentServer {
  /// The names of the photos' collection and of the property with their bytes, in requests about attachments.
  private static let collection = "photos"
  private static let property = "data"

  func missing(
    _ references: [SyncAttachmentReference], user: String
  ) throws -> [SyncAttachment: Int] {
    try uploads.missing(references, user: user) { references in
      let context = ModelContext(container)
      return try Set(references.filter { try stored($0, user, context) != nil })
    }
  }

  func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, user: String
  ) throws -> Int {
    guard attachment.byteCount <= VisitPhoto.maximumByteCount else {
      throw SyncFailure(.tooLarge, Self.sentence(VisitPhoto.tooLarge))
    }
    return try uploads.receive(bytes, of: attachment, at: offset, user: user)
  }

  func attachment(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, user: String
  ) throws -> [UInt8]? {
    guard let photo = try stored(reference, user, ModelContext(container)) else { return nil }
    return [UInt8](photo.data.dropFirst(offset).prefix(length))
  }

  /// Returns the user's photo that has the attachment.
  private func stored(
    _ reference: SyncAttachmentReference, _ user: String, _ context: ModelContext
  ) throws -> ServedPhoto? {
    guard reference.object.entity == Self.collection, reference.property == Self.property,
      let number = UUID(uuidString: reference.object.key),
      let photo = try Self.photo(number, user, context),
      photo.attachment == reference.attachment
    else { return nil }
    return photo
  }
}
