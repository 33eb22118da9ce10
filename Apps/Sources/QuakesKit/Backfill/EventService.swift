import Foundation

/// An FDSN event service with GeoJSON, such as that of USGS, which has all events of the past.
/// Source: https://earthquake.usgs.gov/fdsnws/event/1/
public struct EventService: Hashable, Sendable {
  /// The address of the service, up to its version: its methods are below.
  public let url: URL

  /// The service of USGS.
  public static let usgs = EventService(
    // The parts of a valid address; the file URL is never used.
    known: URL(string: "https://earthquake.usgs.gov/fdsnws/event/1") ?? URL(fileURLWithPath: "/"))

  /// Creates a service from its address, with or without a method at the end.
  /// - Parameter text: An `http:` or `https:` address, such as `https://earthquake.usgs.gov/fdsnws/event/1`. An address
  ///   without a path stands for `/fdsnws/event/1` there.
  /// - Throws: ``QuakesError`` for anything else, also for an address with a query or a password.
  public init(_ text: String) throws {
    guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), parts.host?.isEmpty == false
    else { throw Self.refusal(text, "not the http: or https: address of an event service") }
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
    else {
      throw Self.refusal(
        parts.host ?? "the service", "the address has a query, a user name or a password")
    }
    var path = parts.path.split(separator: "/").map(String.init)
    if ["query", "count", "version"].contains(path.last) { path.removeLast() }
    parts.path = "/" + (path.isEmpty ? "fdsnws/event/1" : path.joined(separator: "/"))
    guard let url = parts.url else { throw Self.refusal(text, "not a valid address") }
    self.init(known: url)
  }

  private init(known url: URL) { self.url = url }

  private static func refusal(_ subject: String, _ reason: String) -> QuakesError {
    QuakesError(.invalidArgument, PlainText.neutralised(subject), reason: reason)
  }

  /// Returns the address of the events of a time range, oldest first.
  /// - Parameters:
  ///   - range: The times, in whole seconds since 1970. The service includes both ends, so it is asked up to the last
  ///     millisecond before the end.
  ///   - minimumMagnitude: The least magnitude; nil for all events.
  func query(_ range: Range<Int>, minimumMagnitude: Double?) -> URL {
    var items = [
      URLQueryItem(name: "format", value: "geojson"),
      URLQueryItem(name: "starttime", value: Timestamp.iso8601(range.lowerBound * 1_000)),
      URLQueryItem(name: "endtime", value: Timestamp.iso8601(range.upperBound * 1_000 - 1)),
      URLQueryItem(name: "orderby", value: "time-asc"),
    ]
    if let minimumMagnitude {
      items.append(URLQueryItem(name: "minmagnitude", value: "\(minimumMagnitude)"))
    }
    return url.appending(path: "query").appending(queryItems: items)
  }

  /// Returns a time as `2026-01-31T12:00:00`, in UTC.
  static func text(_ second: Int) -> String {
    String(Timestamp.iso8601(second * 1_000).prefix(19))
  }
}

extension EventService: CustomStringConvertible {
  /// The address.
  public var description: String { url.absoluteString }
}
