import Foundation

/// A photo of a visit, without its bytes.
public struct VisitPhoto: Identifiable, Hashable, Sendable {
  /// The identifier, which the device creates.
  public var id: UUID
  /// The visit that it is of.
  public var reservationID: UUID
  /// The time at which it was added, in whole seconds.
  public var added: Date
  /// The caption, which is also the text for those who can't see the photo; empty without one.
  public var caption: String

  public init(id: UUID = UUID(), reservationID: UUID, added: Date = .now, caption: String = "") {
    self.id = id
    self.reservationID = reservationID
    self.added = Self.wholeSeconds(added)
    self.caption = VisitNote.normalized(caption)
  }

  /// The maximum size of a photo, in bytes.
  public static let maximumByteCount = 10_000_000
  /// The maximum number of pixels of a photo.
  public static let maximumPixelCount = 40_000_000
  /// The maximum number of photos of a visit.
  public static let maximumCount = 20
  /// The maximum length of a caption, in UTF-16 code units.
  public static let maximumCaptionLength = 200

  /// Checks the bytes of a photo.
  /// - Returns: The photo's form.
  /// - Throws: ``LandmarksError/Code/invalidArgument`` for bytes that aren't JPEG, PNG or WebP, and for too many bytes
  ///   or pixels.
  @discardableResult
  public static func check(_ data: Data) throws -> PhotoImage {
    guard data.count <= maximumByteCount else { throw unusable(tooLarge) }
    guard let image = PhotoImage(data) else {
      throw unusable("use a photo in JPEG, PNG or WebP")
    }
    let (pixels, isBeyond) = image.width.multipliedReportingOverflow(by: image.height)
    guard !isBeyond, pixels <= maximumPixelCount else {
      throw unusable(
        "a photo has at most \(maximumPixelCount / 1_000_000) megapixels, "
          + "this one has \(image.width) × \(image.height) pixels")
    }
    return image
  }

  /// The reason for refusing too many bytes.
  public static let tooLarge = "a photo has at most \(maximumByteCount / 1_000_000) MB"

  /// Checks a caption: a line without control characters.
  /// - Throws: ``LandmarksError/Code/invalidArgument``.
  public static func check(caption: String) throws {
    guard caption.utf16.count <= maximumCaptionLength else {
      throw LandmarksError(
        .invalidArgument, "caption",
        reason: "a caption has at most \(maximumCaptionLength) characters")
    }
    guard VisitNote.isClean(caption), !caption.contains(where: \.isNewline) else {
      throw LandmarksError(
        .invalidArgument, "caption", reason: "a caption is a line without control characters")
    }
  }

  private static func unusable(_ reason: String) -> LandmarksError {
    LandmarksError(.invalidArgument, "photo", reason: reason)
  }

  /// Returns a date without fractions of its second, as the server's documents have it.
  static func wholeSeconds(_ date: Date) -> Date {
    Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
  }
}
