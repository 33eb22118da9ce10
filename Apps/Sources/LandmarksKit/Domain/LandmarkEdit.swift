import Foundation

/// An edit of a user.
public enum LandmarkEdit: Hashable, Sendable {
  /// A mark as favorite, or its removal.
  case favorite(landmarkID: Int, Bool)
  /// A new reservation, whose identifier the device creates.
  case reservation(UUID, landmarkID: Int, date: Date, note: String = "")
  /// Another date of a reservation.
  case move(UUID, date: Date)
  /// Another note of a reservation. `base` is the note that the user edited: edits of the note since then, from
  /// elsewhere, are merged with this one. Nil replaces the note.
  case note(UUID, String, base: String?)
  case cancellation(UUID)
  case removal(UUID)
  /// A new photo of a visit, with its bytes.
  case photo(VisitPhoto, Data)
  /// Another caption of a photo; empty for none.
  case photoCaption(UUID, String)
  case photoRemoval(UUID)
}

/// The key of an edit, by which a store recognises a repeated delivery: a UUID of version 7, whose first 48 bits are
/// the time at which the edit was made, in milliseconds since 1970 (RFC 9562).
public struct EditKey: Hashable, Sendable {
  /// The time for which a store remembers keys, in seconds; older edits are refused.
  public static let lifetime: TimeInterval = 365 * 86_400

  public let id: UUID
  /// The time since the edit was made, in seconds, by its maker's clock at the delivery; nil when the maker doesn't
  /// tell it.
  public let age: TimeInterval?

  /// Creates a key; nil for a UUID of another version.
  public init?(_ id: UUID, age: TimeInterval? = nil) {
    guard id.uuid.6 >> 4 == 7 else { return nil }
    self.id = id
    self.age = age
  }

  /// Whether a store may have made the edit and forgotten its key since. A maker's clock may be years slow: then the
  /// age by this clock counts.
  func isForgotten(at now: Date) -> Bool {
    if made > now.addingTimeInterval(-Self.lifetime) { return false }
    return age.map { $0 >= Self.lifetime } ?? true
  }

  /// The time at which the edit was made, by its maker's clock.
  public var made: Date {
    let (a, b, c, d, e, f) = (
      id.uuid.0, id.uuid.1, id.uuid.2, id.uuid.3, id.uuid.4, id.uuid.5
    )
    let milliseconds = [a, b, c, d, e, f].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }
}
