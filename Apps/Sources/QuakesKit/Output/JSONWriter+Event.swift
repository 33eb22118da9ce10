import Foundation
import WireFormats

extension Event {
  /// Appends the event as the API's JSON object; unknown values are `null`, never omitted.
  public func write(to json: inout JSONWriter) {
    json.raw("{")
    fields(to: &json)
    json.raw("}")
  }

  /// Returns whether the API shows the other event with the same values.
  package func isShown(like other: Event) -> Bool {
    var (json, otherJSON) = (JSONWriter(), JSONWriter())
    write(to: &json)
    other.write(to: &otherJSON)
    return json.bytes == otherJSON.bytes
  }
}

extension JSONWriter {
  /// Appends events as a JSON array.
  public mutating func events(_ events: some Sequence<Event>) {
    raw("[")
    var isFirst = true
    for event in events {
      if !isFirst { raw(",") }
      isFirst = false
      event.write(to: &self)
    }
    raw("]")
  }

  /// Appends texts as a JSON array.
  mutating func strings(_ texts: [String]) {
    raw("[")
    for (position, text) in texts.enumerated() {
      if position > 0 { raw(",") }
      string(text)
    }
    raw("]")
  }
}

extension JSONWriter: EventFieldReceiver {
  mutating func field(_ name: StaticString, _ value: String?) {
    member(name)
    string(value)
  }

  mutating func field(_ name: StaticString, _ value: Double?) {
    member(name)
    number(value)
  }

  mutating func field(_ name: StaticString, _ value: Int?) {
    member(name)
    integer(value)
  }

  mutating func field(_ name: StaticString, _ value: Bool) {
    member(name)
    boolean(value)
  }

  mutating func field(_ name: StaticString, _ value: Date?) {
    member(name)
    time(value)
  }

  mutating func field(_ name: StaticString, _ value: [String]) {
    member(name)
    strings(value)
  }
}
