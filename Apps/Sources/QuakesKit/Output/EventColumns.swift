import Foundation
import WireFormats

/// Events as the API's JSON object of columns: a list of values for each field, in the order of the events. It has
/// about three fifths of the size of objects when both are compressed.
public struct EventColumns: Sendable {
  /// The beginning of the usual address of an event's page, which its identifier follows.
  public static let usualAddress = "https://earthquake.usgs.gov/earthquakes/eventpage/"

  /// How `time` and `updated` are written.
  public enum Times: Sendable {
    /// Both in milliseconds since 1970-01-01T00:00:00Z.
    case absolute
    /// `time` in milliseconds after that of the event before, for the first event since 1970-01-01T00:00:00Z; `updated`
    /// in milliseconds after the same event's `time`.
    case differences
  }

  private let times: Times
  private var names: [StaticString] = []
  private var columns: [JSONWriter] = []
  /// The position of the next field of the event.
  private var position = 0
  private var eventID = ""
  private var isFirst = true
  /// The last event's time in milliseconds since 1970-01-01T00:00:00Z.
  private var lastTime = 0

  /// Creates the columns of events.
  /// - Parameters:
  ///   - events: The events, in the order of the columns' values.
  ///   - times: How `time` and `updated` are written.
  public init(_ events: some Sequence<Event>, times: Times = .absolute) {
    self.times = times
    for event in events {
      position = 0
      eventID = event.eventID
      event.fields(to: &self)
      isFirst = false
    }
  }

  /// Appends the columns; without events, an empty object.
  public func write(to json: inout JSONWriter) {
    json.raw("{")
    for (name, column) in zip(names, columns) {
      json.member(name)
      json.raw("[")
      json.append(column)
      json.raw("]")
    }
    json.raw("}")
  }

  /// Appends a value to its column.
  private mutating func append(_ name: StaticString, _ write: (inout JSONWriter) -> Void) {
    if isFirst {
      names.append(name)
      columns.append(JSONWriter())
    } else {
      columns[position].raw(",")
    }
    write(&columns[position])
    position += 1
  }
}

extension EventColumns: EventFieldReceiver {
  /// Whether a value is the address that follows from the event's identifier.
  private func isUsual(_ name: StaticString, _ value: String?) -> Bool {
    guard let value, value.hasPrefix(Self.usualAddress), name.description == "url" else {
      return false
    }
    return value.dropFirst(Self.usualAddress.count) == eventID
  }

  mutating func field(_ name: StaticString, _ value: String?) {
    let text = isUsual(name, value) ? "" : value
    append(name) { $0.string(text) }
  }

  mutating func field(_ name: StaticString, _ value: Double?) { append(name) { $0.number(value) } }

  mutating func field(_ name: StaticString, _ value: Int?) { append(name) { $0.integer(value) } }

  mutating func field(_ name: StaticString, _ value: Bool) { append(name) { $0.boolean(value) } }

  mutating func field(_ name: StaticString, _ value: Date?) {
    guard times == .differences, let value, let origin = origin(name, value) else {
      append(name) { $0.time(value) }
      return
    }
    append(name) { $0.integer(value.milliseconds - origin) }
  }

  /// Returns the time that a field's difference is from, in milliseconds since 1970-01-01T00:00:00Z.
  /// - Returns: nil for fields that are written as they are.
  private mutating func origin(_ name: StaticString, _ value: Date) -> Int? {
    switch name.description {
    case "time":
      defer { lastTime = value.milliseconds }
      return lastTime
    case "updated": return lastTime
    default: return nil
    }
  }

  mutating func field(_ name: StaticString, _ value: [String]) {
    append(name) { $0.strings(value) }
  }
}
