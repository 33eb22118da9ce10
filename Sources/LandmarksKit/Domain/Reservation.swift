import Foundation

/// A visit that the user planned.
public struct Reservation: Identifiable, Hashable, Sendable {
  /// What became of it.
  public enum Status: String, CaseIterable, Sendable {
    case confirmed, cancelled
  }

  /// Made where the reservation is made, so that it needs no server.
  public var id: UUID
  public var landmarkID: Int
  /// The moment, in whole minutes.
  public var date: Date
  public var status: Status

  public init(id: UUID = UUID(), landmarkID: Int, date: Date, status: Status = .confirmed) {
    self.id = id
    self.landmarkID = landmarkID
    self.date = Self.wholeMinutes(date)
    self.status = status
  }

  /// How far ahead reservations are taken, in days.
  public static let furthestDay = 730

  /// Checks a date for a new or changed reservation.
  /// - Parameters:
  ///   - date: when the visit is to be.
  ///   - now: the moment it is compared with.
  /// - Throws: ``LandmarksError/Code/invalidArgument`` when it is past or too far ahead.
  public static func check(_ date: Date, now: Date) throws {
    guard date > now else {
      throw LandmarksError(.invalidArgument, "date", reason: "choose a moment in the future")
    }
    guard date < now.addingTimeInterval(Double(furthestDay) * 86_400) else {
      throw LandmarksError(
        .invalidArgument, "date",
        reason: "reservations are taken for the next \(furthestDay) days")
    }
  }

  /// A date without its seconds: so that what a device keeps is what a server gives back.
  public static func wholeMinutes(_ date: Date) -> Date {
    Date(
      timeIntervalSinceReferenceDate: (date.timeIntervalSinceReferenceDate / 60).rounded(.down)
        * 60)
  }
}
