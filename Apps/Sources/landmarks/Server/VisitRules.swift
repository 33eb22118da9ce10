import Foundation
import LandmarksKit
import LocalApp
import SwiftData

/// The server's rules for visits. A visit that breaks one is refused with the days or times that are free.
struct VisitRules: Hashable, Sendable {
  /// The number of confirmed visits of all users that a landmark takes on a day; nil for any.
  var placesADay: Int?
  /// The days of the week on which all landmarks are closed: 1 is Sunday, as in `Calendar`.
  var closedWeekdays: Set<Int> = []
  /// Whether a user may have visits to two landmarks at the same time.
  var allowsSameTime = true

  /// The number of days that are looked at for free ones, and that are named.
  private static let searchedDays = 60
  private static let namedDays = 3

  /// Checks a confirmed visit.
  /// - Parameters:
  ///   - number: The identifier of the visit, whose earlier state doesn't count.
  ///   - landmark: Its landmark.
  /// - Throws: ``APIFailure`` 422 that says why, and what is free.
  func check(
    _ visit: ReservationBody, _ number: UUID, of user: String, at landmark: ServedLandmark,
    _ context: ModelContext
  ) throws {
    guard visit.status == Reservation.Status.confirmed.rawValue else { return }
    let calendar = Self.calendar(longitude: landmark.longitude)
    let taken = try takenPlaces(
      from: visit.date, (user, number), landmark, calendar, context)
    let obstacle: (code: String, words: String)? =
      if isClosed(visit.date, calendar) {
        ("closed", "\(landmark.name) is closed on \(Self.weekday(visit.date, calendar))s")
      } else if isFull(visit.date, taken, calendar) {
        ("full", "All places at \(landmark.name) on \(Self.day(visit.date, calendar)) are taken")
      } else {
        nil
      }
    if let (code, words) = obstacle {
      let free = try freeDates(after: visit.date, taken, calendar) {
        try allowsSameTime || !isBusy($0, number, user, context)
      }
      throw APIFailure(
        .unprocessableContent, code, words + Self.words(free, calendar), parameter: "date",
        choices: free.map { $0.formatted(Date.ISO8601FormatStyle(timeZone: .gmt)) })
    }
    if !allowsSameTime, try isBusy(visit.date, number, user, context) {
      throw APIFailure(
        .unprocessableContent, "double_booking",
        "You have another visit at this time; choose another time, or cancel that one.",
        parameter: "date")
    }
  }

  private func isClosed(_ date: Date, _ calendar: Calendar) -> Bool {
    closedWeekdays.contains(calendar.component(.weekday, from: date))
  }

  /// The numbers of taken places by day, from the day of a date on; nil when there is no limit.
  private func takenPlaces(
    from date: Date, _ own: (user: String, number: UUID), _ landmark: ServedLandmark,
    _ calendar: Calendar, _ context: ModelContext
  ) throws -> [Date: Int]? {
    guard placesADay != nil else { return nil }
    let start = calendar.startOfDay(for: date)
    let end = start.addingTimeInterval(Double(Self.searchedDays + 2) * 86_400)
    let ((user, number), place) = (own, landmark.number)
    let confirmed = Reservation.Status.confirmed.rawValue
    let visits = try context.fetch(
      FetchDescriptor<ServedReservation>(
        predicate: #Predicate {
          $0.landmarkID == place && $0.date >= start && $0.date < end && $0.status == confirmed
            && !($0.user == user && $0.number == number)
        }))
    return Dictionary(visits.map { (calendar.startOfDay(for: $0.date), 1) }, uniquingKeysWith: +)
  }

  private func isFull(_ date: Date, _ taken: [Date: Int]?, _ calendar: Calendar) -> Bool {
    guard let placesADay, let taken else { return false }
    return taken[calendar.startOfDay(for: date), default: 0] >= placesADay
  }

  private func isBusy(
    _ date: Date, _ number: UUID, _ user: String, _ context: ModelContext
  ) throws -> Bool {
    let confirmed = Reservation.Status.confirmed.rawValue
    return try context.fetchCount(
      FetchDescriptor<ServedReservation>(
        predicate: #Predicate {
          $0.user == user && $0.date == date && $0.status == confirmed && $0.number != number
        })) > 0
  }

  /// Returns the same time of the next days with places.
  /// - Parameter isFree: Whether the user has no other visit at a time, where that counts.
  private func freeDates(
    after date: Date, _ taken: [Date: Int]?, _ calendar: Calendar, isFree: (Date) throws -> Bool
  ) rethrows -> [Date] {
    var found: [Date] = []
    for distance in 1...Self.searchedDays where found.count < Self.namedDays {
      guard let next = calendar.date(byAdding: .day, value: distance, to: date),
        !isClosed(next, calendar), !isFull(next, taken, calendar), try isFree(next)
      else { continue }
      found.append(next)
    }
    return found
  }

  /// Returns the end of a refusal.
  private static func words(_ free: [Date], _ calendar: Calendar) -> String {
    var found = free.map { day($0, calendar) }
    guard let last = found.popLast() else { return "; no day of the next two months is free." }
    return found.isEmpty
      ? "; \(last) is free." : "; \(found.joined(separator: ", ")) and \(last) are free."
  }

  // MARK: Days

  /// The calendar of a place: with the time zone that its longitude has at sea, 15 degrees an hour, because the
  /// landmarks have no other one.
  private static func calendar(longitude: Double) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    let hours = abs(longitude) <= 180 ? Int((longitude / 15).rounded()) : 0
    calendar.timeZone = TimeZone(secondsFromGMT: hours * 3_600) ?? .gmt
    return calendar
  }

  private static func day(_ date: Date, _ calendar: Calendar) -> String {
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
  }

  /// The names of the days of the week, as `Calendar` counts them.
  static let weekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  private static func weekday(_ date: Date, _ calendar: Calendar) -> String {
    weekdays[calendar.component(.weekday, from: date) - 1]
  }
}
