import Foundation
import HTTPContent

/// The parameters of a query of the FDSN event service.
/// Sources: https://www.fdsn.org/webservices/FDSN-WS-Specifications-1.2.pdf, section 3;
/// https://earthquake.usgs.gov/fdsnws/event/1/
struct EventServiceQuery: Hashable, Sendable {
  /// A parameter that the service refuses.
  struct Refusal: Error, Hashable {
    var reason: String
  }

  /// The order of the events of an answer.
  enum Order: String, CaseIterable, Sendable {
    case time
    case oldestFirst = "time-asc"
    case magnitude
    case weakestFirst = "magnitude-asc"
  }

  /// The form of the answer.
  enum Format: String, Sendable {
    case geojson, text
  }

  /// The status of an answer without events.
  enum NoData: String, Sendable {
    case noContent = "204"
    case notFound = "404"
  }

  /// The most events of an answer.
  static let maximum = 20_000
  /// The times that may be asked for, in milliseconds since 1970: about the years 1 to 9999.
  private static let times = -62_200_000_000_000...253_402_300_799_999

  /// The earliest and the latest time, both included, in milliseconds since 1970.
  var since: Int
  var until: Int
  /// The least and the greatest magnitude, both included. Events without a magnitude fit neither.
  var minimumMagnitude: Double?
  var maximumMagnitude: Double?
  var limit: Int?
  /// The number of the first event of the answer, from 1 on.
  var offset = 1
  var order = Order.time
  var format: Format?
  var noData = NoData.noContent

  /// Reads the parameters of a request.
  /// - Parameters:
  ///   - parameters: The names and values.
  ///   - now: The time of the request, in milliseconds since 1970. Without times, the query is for
  ///     the thirty days before.
  /// - Throws: ``Refusal`` for an unknown parameter and for a value that isn't valid.
  init(_ parameters: [(name: String, value: String)], now: Int) throws {
    since = now - SummaryFeed.Window.month.milliseconds
    until = now
    for (name, value) in parameters {
      switch name {
      case "starttime", "start": since = try Self.time(name, value)
      case "endtime", "end": until = try Self.time(name, value)
      case "minmagnitude", "minmag": minimumMagnitude = try Self.number(name, value)
      case "maxmagnitude", "maxmag": maximumMagnitude = try Self.number(name, value)
      case "limit": limit = try Self.whole(name, value, in: 1...Self.maximum)
      case "offset": offset = try Self.whole(name, value, in: 1...Int(Int32.max))
      case "orderby": order = try Self.choice(name, value)
      case "format": format = try Self.choice(name, value)
      case "nodata": noData = try Self.choice(name, value)
      default: throw Refusal(reason: "Unknown parameter \"\(name)\".")
      }
    }
  }

  private static func time(_ name: String, _ value: String) throws -> Int {
    guard let date = WrittenTime.date(value), abs(date.timeIntervalSince1970) < 1e12,
      case let time = Int((date.timeIntervalSince1970 * 1_000).rounded()), times.contains(time)
    else {
      throw Refusal(
        reason: "Bad \(name) value \"\(value)\". Valid values are ISO-8601 timestamps.")
    }
    return time
  }

  private static func number(_ name: String, _ value: String) throws -> Double {
    guard let number = Double(value), number.isFinite else {
      throw Refusal(reason: "Bad \(name) value \"\(value)\". Valid values are numeric.")
    }
    return number
  }

  private static func whole(
    _ name: String, _ value: String, in range: ClosedRange<Int>
  ) throws -> Int {
    guard let number = Int(value), range.contains(number) else {
      throw Refusal(
        reason: "Bad \(name) value \"\(value)\". Valid values are"
          + " \(range.lowerBound) <= \(name) <= \(range.upperBound)")
    }
    return number
  }

  private static func choice<Value: RawRepresentable<String>>(
    _ name: String, _ value: String
  ) throws -> Value {
    guard let choice = Value(rawValue: value) else {
      throw Refusal(reason: "Bad \(name) value \"\(value)\".")
    }
    return choice
  }
}
