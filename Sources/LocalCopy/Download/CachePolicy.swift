import CurlClient
import Foundation
import WireFormats

/// The validators that can make a later request conditional (RFC 9110 section 13).
public struct FeedValidators: Sendable, Hashable, Codable {
  /// The `ETag` of the response, quotation marks included.
  public var entityTag: String?
  /// The `Last-Modified` date of the response, as sent.
  public var lastModified: String?

  /// The maximum length of a validator that is stored and sent back, in bytes.
  private static let maximumLength = 1024

  /// Creates validators; one that can't be sent back is dropped: longer than a kibibyte, or with control characters.
  public init(entityTag: String? = nil, lastModified: String? = nil) {
    self.entityTag = Self.sendable(entityTag)
    self.lastModified = Self.sendable(lastModified)
  }

  /// Decodes validators; those that can't be sent back are dropped, which earlier versions kept.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      entityTag: try container.decodeIfPresent(String.self, forKey: .entityTag),
      lastModified: try container.decodeIfPresent(String.self, forKey: .lastModified))
  }

  private static func sendable(_ validator: String?) -> String? {
    guard let validator, validator.utf8.count <= maximumLength,
      HTTPFields.Field.isValue(validator)
    else { return nil }
    return validator
  }

  /// Whether there is no validator to make a request conditional on.
  public var isEmpty: Bool { entityTag == nil && lastModified == nil }
}

/// The caching rules of a response (RFC 9111), as they apply to a private cache, which a local copy
/// is.
package struct CachePolicy: Equatable, Sendable {
  /// The longest accepted freshness, in seconds: a mistake on the server must not stop refreshes
  /// permanently.
  private static let longest = 86_400.0

  /// The time that the response is fresh after it was received, in seconds; never negative.
  package var freshFor: Double
  /// Whether validators and freshness may be stored.
  package var mayStore: Bool

  /// Reads the headers of a response.
  /// - Parameters:
  ///   - header: returns the value of a header, with several lines joined by commas.
  ///   - received: the time at which the response arrived.
  package init(received: Date, header: (String) -> String?) {
    let directives = Self.directives(header("cache-control") ?? "")
    mayStore = directives["no-store"] == nil
    var lifetime = 0.0
    let date = header("date").flatMap { HTTPDate.parse($0, now: received) }
    if let maximum = directives["max-age"] {
      // RFC 9111 section 4.2.1: an invalid value counts as stale.
      lifetime = Double(DeltaSeconds.parse(maximum) ?? 0)
    } else if let expires = header("expires") {
      // Section 5.3: an invalid date, such as 0, counts as expired.
      let end = HTTPDate.parse(expires, now: received)
      lifetime = end.map { $0.timeIntervalSince(date ?? received) } ?? 0
    }
    if directives["no-cache"] != nil || !mayStore { lifetime = 0 }
    // Section 4.2.3, without the response delay: the larger of the two ages counts.
    let ageValue = Double(header("age").flatMap(DeltaSeconds.parse) ?? 0)
    let apparentAge = date.map { max(0, received.timeIntervalSince($0)) } ?? 0
    freshFor = min(max(0, lifetime - max(ageValue, apparentAge)), Self.longest)
  }

  /// The directives of a `Cache-Control` header; the first of several equal names counts.
  static func directives(_ header: String) -> [String: String] {
    var directives: [String: String] = [:]
    for part in split(header) {
      let sides = part.split(separator: "=", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard let name = sides.first?.lowercased(), directives[name] == nil else { continue }
      let value = sides.count > 1 ? sides[1] : ""
      directives[name] = value.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
    }
    return directives
  }

  /// Splits at commas that are not inside quotation marks.
  private static func split(_ header: String) -> [String] {
    var parts = [""]
    var isQuoted = false
    for character in header {
      if character == "\"" { isQuoted.toggle() }
      if character == ",", !isQuoted {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }
}
