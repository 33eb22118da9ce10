import Foundation

/// A visit that the user planned.
public struct Reservation: Identifiable, Hashable, Sendable {
  /// The status of a reservation.
  public enum Status: String, CaseIterable, Sendable {
    case confirmed, cancelled
  }

  /// The identifier, which the device creates, so that making a reservation needs no server.
  public var id: UUID
  public var landmarkID: Int
  /// The date of the visit, in whole minutes.
  public var date: Date
  public var status: Status
  /// The user's note, see ``VisitNote``; empty without one.
  public var note: String

  public init(
    id: UUID = UUID(), landmarkID: Int, date: Date, status: Status = .confirmed, note: String = ""
  ) {
    self.id = id
    self.landmarkID = landmarkID
    self.date = Self.wholeMinutes(date)
    self.status = status
    self.note = VisitNote.normalized(note)
  }

  /// The maximum number of days between now and a reservation's date.
  public static let furthestDay = 730

  /// Checks a date for a new or changed reservation.
  /// - Parameters:
  ///   - date: The date of the visit.
  ///   - now: The current date, with which it is compared.
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

  /// Returns a date without its seconds, so that the date a device keeps equals the one the server
  /// returns.
  public static func wholeMinutes(_ date: Date) -> Date {
    Date(
      timeIntervalSinceReferenceDate: (date.timeIntervalSinceReferenceDate / 60).rounded(.down)
        * 60)
  }
}
