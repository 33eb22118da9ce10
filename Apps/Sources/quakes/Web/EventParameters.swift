import Foundation
import LocalApp
import QuakesKit
import WireFormats

/// The checked parameters of `GET /api/events`.
struct EventParameters {
  static let limits = 1...5_000
  static let usualLimit = 1_000
  static let maximumOffset = 100_000_000
  static let maximumSearchLength = 200

  /// The form of the events in the answer.
  enum Layout: String, CaseIterable {
    /// An object for each event.
    case rows
    /// A list for each field.
    case columns
    /// Columns with differences in place of times.
    case differences
  }

  private(set) var layout = Layout.rows
  /// The query that the parameters describe.
  private(set) var query = EventQuery(limit: usualLimit)
  /// The parameters as sent, except `offset`, for the address of the next page.
  private var sent: [(name: String, value: String)] = []

  /// Checks parameters.
  /// - Parameters:
  ///   - parameters: The names and values of the query.
  ///   - now: The current time, from which durations such as `24h` count back.
  /// - Throws: ``APIFailure`` 400 that names the parameter.
  init(_ parameters: [(name: String, value: String)], now: Date) throws(APIFailure) {
    var seen: Set<String> = []
    var order: EventQuery.Order?
    for (name, value) in parameters {
      guard seen.insert(name).inserted else {
        throw APIFailure.invalid(name, "Give it once.")
      }
      switch name {
      case "min_magnitude": query.minimumMagnitude = try Self.magnitude(name, value)
      case "max_magnitude": query.maximumMagnitude = try Self.magnitude(name, value)
      case "min_depth": query.minimumDepth = try Self.depth(name, value)
      case "max_depth": query.maximumDepth = try Self.depth(name, value)
      case "since": query.since = try Self.moment(name, value, now: now)
      case "until": query.until = try Self.moment(name, value, now: now)
      case "box": query.box = try Self.box(value)
      case "search": query.search = try Self.search(value, now: now)
      case "withdrawn": query.includesWithdrawn = try Self.truth(name, value)
      case "sort": query.sort = try Self.choice(name, value)
      case "order": order = try Self.choice(name, value)
      case "layout": layout = try Self.choice(name, value)
      case "limit": query.limit = try Self.whole(name, value, Self.limits)
      case "offset": query.offset = try Self.whole(name, value, 0...Self.maximumOffset)
      default: throw APIFailure.invalid(name, "There is no such parameter.")
      }
      if name != "offset" { sent.append((name, value)) }
    }
    query.order = order ?? query.sort.usualOrder
  }

  /// Checks parameters that choose events, without an order or a part of them.
  /// - Throws: ``APIFailure`` 400 that names the parameter.
  init(filter parameters: [(name: String, value: String)], now: Date) throws(APIFailure) {
    if let other = parameters.first(where: { Self.arranging.contains($0.name) }) {
      throw APIFailure.invalid(other.name, "There is no such parameter.")
    }
    try self.init(parameters, now: now)
  }

  /// Checks parameters that choose events and their order: all of them, or the first ones with `limit`.
  /// - Throws: ``APIFailure`` 400 that names the parameter.
  init(export parameters: [(name: String, value: String)], now: Date) throws(APIFailure) {
    if let other = parameters.first(where: { ["offset", "layout"].contains($0.name) }) {
      throw APIFailure.invalid(other.name, "There is no such parameter.")
    }
    try self.init(parameters, now: now)
    if !parameters.contains(where: { $0.name == "limit" }) { query.limit = nil }
  }

  private static let arranging: Set<String> = ["sort", "order", "limit", "offset", "layout"]

  /// The maximum number of events of a page.
  var limit: Int { query.limit ?? Self.usualLimit }

  /// Returns the address of the next page; `nil` after the last.
  func next(total: Int, shown: Int) -> String? {
    let offset = query.offset + shown
    guard shown > 0, offset < total else { return nil }
    let pairs = (sent + [("offset", String(offset))]).map { pair in
      RequestTarget.encoded(pair.0) + "=" + RequestTarget.encoded(pair.1)
    }
    return "/api/events?" + pairs.joined(separator: "&")
  }

  private static func magnitude(_ name: String, _ text: String) throws(APIFailure) -> Double {
    guard let value = number(text), abs(value) <= 20 else {
      throw APIFailure.invalid(name, "Use a number such as 2.5.")
    }
    return value
  }

  /// A depth in kilometres.
  private static func depth(_ name: String, _ text: String) throws(APIFailure) -> Double {
    guard let value = number(text), abs(value) <= 10_000 else {
      throw APIFailure.invalid(name, "Use kilometres below sea level, such as 70.")
    }
    return value
  }

  /// Reads a decimal number without an exponent.
  private static func number(_ text: String) -> Double? {
    guard text.utf8.count <= 20,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || [0x2b, 0x2d, 0x2e].contains($0) })
    else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func moment(
    _ name: String, _ text: String, now: Date
  ) throws(APIFailure) -> Date {
    do {
      return try Moment.parse(text, now: now)
    } catch {
      throw APIFailure.invalid(
        name, "Use 30m, 24h, 7d or an ISO 8601 date-time such as 2026-01-31T12:00:00Z.")
    }
  }

  private static func box(_ text: String) throws(APIFailure) -> EventBox {
    do {
      return try EventBox(text, term: text)
    } catch {
      throw APIFailure.invalid("box", "\(error)")
    }
  }

  private static func search(_ text: String, now: Date) throws(APIFailure) -> EventSearch? {
    guard text.count <= maximumSearchLength else {
      throw APIFailure.invalid("search", "At most \(maximumSearchLength) characters.")
    }
    guard !text.isEmpty else { return nil }
    do {
      return try EventSearch(text, now: now)
    } catch {
      throw APIFailure.invalid("search", "\(error)")
    }
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ text: String
  ) throws(APIFailure) -> Choice {
    guard let choice = Choice(rawValue: text) else {
      let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw APIFailure.invalid(name, "One of: \(choices).")
    }
    return choice
  }

  private static func truth(_ name: String, _ text: String) throws(APIFailure) -> Bool {
    guard ["true", "false"].contains(text) else {
      throw APIFailure.invalid(name, "One of: true, false.")
    }
    return text == "true"
  }

  private static func whole(
    _ name: String, _ text: String, _ range: ClosedRange<Int>
  ) throws(APIFailure) -> Int {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text),
      range.contains(value)
    else {
      throw APIFailure.invalid(
        name, "A whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return value
  }
}
