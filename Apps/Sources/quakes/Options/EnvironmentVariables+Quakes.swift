import Foundation
import LocalApp
import QuakesKit

/// The options of quakes.
extension EnvironmentVariables {
  /// Returns a TCP port, 0 to 65535.
  /// - Throws: ``QuakesError`` that names the variable when its value isn't a port.
  func port(_ option: Int?, _ variable: String, otherwise: Int) throws -> Int {
    let text = value(option.map(String.init), variable) ?? String(otherwise)
    guard let port = UInt16(text) else {
      throw QuakesError(
        .invalidArgument, option == nil ? "\(variable)=\(text)" : "--port \(text)",
        reason: "not a port: use a number from 0 to 65535")
    }
    return Int(port)
  }

  /// Returns a whole number within bounds.
  /// - Throws: ``QuakesError`` that names the option or the variable when its value isn't such a
  ///   number.
  func count(
    _ option: Int?, _ name: String, _ variable: String, in range: ClosedRange<Int>, otherwise: Int
  ) throws -> Int {
    guard let text = value(option.map(String.init), variable) else { return otherwise }
    guard let count = Int(text), range.contains(count) else {
      throw QuakesError(
        .invalidArgument, option == nil ? "\(variable)=\(text)" : "\(name) \(text)",
        reason: "use a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return count
  }

  /// Returns whether a switch is on: by the option, or by a variable with `1`, `true`, `yes` or
  /// their opposites.
  /// - Throws: ``QuakesError`` for another value.
  func isOn(_ option: Bool, _ variable: String) throws -> Bool {
    guard !option, let text = value(nil, variable)?.lowercased() else { return option }
    if ["1", "true", "yes"].contains(text) { return true }
    if ["0", "false", "no"].contains(text) { return false }
    throw QuakesError(.invalidArgument, "\(variable)=\(text)", reason: "use 1 or 0")
  }

  /// Returns a duration such as `5m`, in seconds.
  /// - Throws: ``QuakesError`` when the value isn't a duration.
  func span(_ option: String?, _ variable: String, otherwise: String) throws -> Double {
    let text = value(option, variable) ?? otherwise
    guard let seconds = Moment.seconds(text) else {
      throw QuakesError(
        .invalidArgument, option == nil ? "\(variable)=\(text)" : text,
        reason: "not a span of time: use 30s, 5m or 1h")
    }
    return seconds
  }

  /// Returns the store's location.
  /// - Throws: ``QuakesError`` for an address of a server that can't be read.
  func store(_ option: String?) throws -> StoreLocation {
    try value(option, "QUAKES_STORE").map { try StoreLocation($0) }
      ?? .file(StorePlace.standard(environment: values))
  }

  /// Returns the feed; by default, all events of the past day.
  /// - Throws: ``QuakesError`` when the value isn't a feed.
  func feed(_ option: String?) throws -> FeedSelection {
    guard let text = value(option, "QUAKES_FEED") else { return FeedSelection(.allDay) }
    return try FeedSelection(text)
  }

  /// Returns the event service; by default, that of USGS.
  /// - Throws: ``QuakesError`` when the value isn't the address of a service.
  func eventService(_ option: String?) throws -> EventService {
    try namedEventService(option) ?? .usgs
  }

  /// Returns the event service that an option or a variable names; nil when there is none.
  /// - Throws: ``QuakesError`` when the value isn't the address of a service.
  func namedEventService(_ option: String?) throws -> EventService? {
    try value(option, "QUAKES_SERVICE").map { try EventService($0) }
  }
}
