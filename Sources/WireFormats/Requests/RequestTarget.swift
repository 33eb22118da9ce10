import Foundation

/// The parts of a request's target (RFC 9112, section 3.2): path and query, strictly
/// percent-decoded.
public struct RequestTarget: Sendable {
  /// The maximum length of a target, in bytes. Longer targets are refused.
  public static let maximumLength = 4_096

  /// The path as sent, still encoded.
  public let path: String
  /// The query's decoded parameters, in their order.
  public let parameters: [(name: String, value: String)]

  /// Parses a target.
  /// - Parameter target: The target as sent; nil when the request has none.
  /// - Throws: ``RequestTargetError`` when it isn't a path, is too long, or its encoding is invalid.
  public init(_ target: String?) throws(RequestTargetError) {
    guard let target, target.hasPrefix("/") else {
      throw RequestTargetError(.notAPath)
    }
    guard target.utf8.count <= Self.maximumLength else {
      throw RequestTargetError(.tooLong)
    }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    var parameters: [(name: String, value: String)] = []
    for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try Self.decoded(Self.spaced(sides[0]))
      let value = sides.count > 1 ? try Self.decoded(Self.spaced(sides[1])) : ""
      parameters.append((name, value))
    }
    self.parameters = parameters
  }

  /// Replaces `+` by a space: in a query it stands for a space, as in HTML forms; in a path it
  /// stands for itself.
  private static func spaced(_ text: Substring) -> String {
    text.replacingOccurrences(of: "+", with: " ")
  }

  /// Decodes a part of a path (RFC 3986, section 2.1).
  /// - Parameter text: The encoded part, in which `+` stands for itself.
  /// - Throws: ``RequestTargetError`` with ``RequestTargetError/Code/invalidEncoding`` when `%` is
  ///   not followed by two digits, or the result is not UTF-8 or has control characters.
  public static func decoded(_ text: some StringProtocol) throws(RequestTargetError) -> String {
    guard let decoded = text.removingPercentEncoding,
      !decoded.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else {
      throw RequestTargetError(.invalidEncoding)
    }
    return decoded
  }

  /// Encodes a value for a query: everything but letters, digits and `-._~` (RFC 3986, 2.3).
  /// - Parameter text: The value.
  public static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: result.append(byte)
      default: result += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
