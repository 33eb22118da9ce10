import Foundation
import Testing

/// A feed document as Foundation's own parser reads it: a reference independent of our code.
struct FeedJSON {
  let metadata: [String: Any]
  let features: [[String: Any]]
  let box: [Double]?

  init(_ text: String) throws {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let object = try #require(value as? [String: Any])
    metadata = try #require(object["metadata"] as? [String: Any])
    features = try #require(object["features"] as? [[String: Any]])
    box = object["bbox"] as? [Double]
  }

  var ids: [String] { features.compactMap { $0["id"] as? String } }
  var count: Int? { metadata["count"] as? Int }

  func property(_ name: String) -> [Any?] {
    features.map { ($0["properties"] as? [String: Any])?[name] }
  }

  var magnitudes: [Double] { property("mag").compactMap { $0 as? Double } }
  var times: [Int] { property("time").compactMap { $0 as? Int } }
}
