import Foundation
import QuakesKit

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

/// A folder that is removed when it is no longer used.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("quakes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Writes a file.
  func file(_ name: String, _ text: String) throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file
  }
}
