import Foundation
import QuakesKit
import SwiftDataExtras

/// An event as a feature of a feed describes it.
struct FeedEvent: Decodable {
  let event: Event

  init(from decoder: any Decoder) throws {
    event = try Quake(SentFeature(from: decoder)).snapshot.withoutModel
  }
}

extension Event {
  /// The event without the identity of a model, for comparisons of values.
  var withoutModel: Event {
    var event = self
    event.persistentModelID = nil
    return event
  }
}

/// Feeds and stores for tests.
enum Fixture {
  /// Returns the text of a feed.
  static func feed(_ features: [String], status: Int = 200) -> String {
    """
    {"type":"FeatureCollection","metadata":{"generated":1,"status":\(status),"count":\(features.count)},
    "features":[\(features.joined(separator: ","))]}
    """
  }

  /// Returns the text of a feature.
  static func feature(
    _ id: String, magnitude: String = "1.5", place: String = "\"near\"", time: Int = 1_000,
    depth: String = "5"
  ) -> String {
    """
    {"type":"Feature","properties":{"mag":\(magnitude),"place":\(place),"time":\(time),"updated":\(time),
    "url":"https://example.org/\(id)","sig":10,"net":"\(id.prefix(2))","code":"\(id.dropFirst(2))",
    "type":"earthquake","status":"reviewed","tsunami":0},
    "geometry":{"type":"Point","coordinates":[10.5,-20.25,\(depth)]},"id":"\(id)"}
    """
  }
}
