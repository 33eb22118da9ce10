import Foundation
import QuakesKit

/// A log of polls of a feed: the events that appeared, changed and disappeared between two polls.
struct PollLog {
  struct Poll: Decodable {
    let generated: Int
    /// The number of the feed's events after the poll.
    let count: Int
    let put: [String: Entry]
    let gone: [String]
  }

  /// `[magnitude, place, time, updated, [longitude, latitude, depth]]`
  struct Entry: Decodable {
    let magnitude: Double?
    let place: String?
    let time: Int
    let updated: Int
    let point: [Double?]

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      magnitude = try values.decodeIfPresent(Double.self)
      place = try values.decodeIfPresent(String.self)
      time = try values.decode(Int.self)
      updated = try values.decode(Int.self)
      point = try values.decode([Double?].self)
    }
  }

  let polls: [Poll]

  /// - Parameter text: One poll per line.
  init(_ text: Data, limit: Int) throws {
    let decoder = JSONDecoder()
    polls = try text.split(separator: UInt8(ascii: "\n")).prefix(limit).map {
      try decoder.decode(Poll.self, from: Data($0))
    }
  }
}

extension Event {
  /// Creates the event of an entry by decoding it in the form that feeds have.
  init(_ id: String, _ entry: PollLog.Entry) throws {
    let properties: [String: Any] = [
      "mag": entry.magnitude ?? NSNull(), "place": entry.place ?? NSNull(), "time": entry.time,
      "updated": entry.updated, "net": String(id.prefix(2)), "code": String(id.dropFirst(2)),
    ]
    let feature: [String: Any] = [
      "id": id, "properties": properties,
      "geometry": ["type": "Point", "coordinates": entry.point.map { $0 ?? NSNull() as Any }],
    ]
    self = try JSONDecoder().decode(
      FeedEvent.self, from: JSONSerialization.data(withJSONObject: feature)
    ).event
  }
}
