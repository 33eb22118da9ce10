import Foundation
import HTTPContent
import LandmarksKit

/// A kind of objects that commands name by identifiers.
enum ObjectName: String {
  case reservation, photo

  /// The command that prints the identifiers.
  private var printing: String {
    switch self {
    case .reservation: "`landmarks reserve` prints them"
    case .photo: "`landmarks photo` with a reservation prints them"
    }
  }

  /// Returns the identifier that a text is, or is the beginning of: at least four digits of one of a kind.
  /// - Parameter known: The identifiers that the store has, which are read for a beginning only.
  /// - Throws: ``LandmarksError/Code/invalidArgument`` for another text and for the beginning of several ones,
  ///   ``LandmarksError/Code/notFound`` for that of none.
  func identifier(_ text: String, among known: () throws -> [UUID]) throws -> UUID {
    if let id = UUID(uuidString: text) { return id }
    guard (4...36).contains(text.utf8.count), text.wholeMatch(of: /[0-9A-Fa-f-]+/) != nil else {
      throw LandmarksError(
        .invalidArgument, PlainText.neutralised(text),
        reason: "not the identifier of a \(rawValue), nor four or more digits of its beginning; "
          + printing)
    }
    let beginning = text.uppercased()
    let matches = try known().filter { $0.uuidString.hasPrefix(beginning) }
    guard let match = matches.first else {
      throw LandmarksError(
        .notFound, beginning, reason: "no \(rawValue) in the store begins so; \(printing)")
    }
    guard matches.count == 1 else {
      throw LandmarksError(
        .invalidArgument, beginning,
        reason: "\(matches.count) \(rawValue)s begin so; give more digits")
    }
    return match
  }

  /// Returns the error for an identifier that the store doesn't have.
  func missing(_ id: UUID) -> LandmarksError {
    LandmarksError(
      .notFound, id.uuidString, reason: "there is no such \(rawValue) in the store")
  }
}
