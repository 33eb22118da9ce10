/// Interprets the request header fields that determine the form of a response.
public enum Negotiation {
  /// Returns whether `Accept-Encoding` allows gzip (RFC 9110, 12.5.3): by name or by `*`, with a
  /// weight above 0.
  /// - Parameter field: The field's value; `nil` when it wasn't sent, which counts as a request for
  ///   plain content.
  public static func acceptsGzip(_ field: String?) -> Bool {
    guard let field else { return false }
    var wildcard = false
    for member in field.split(separator: ",") {
      let parts = member.split(separator: ";").map(trimmed)
      guard let coding = parts.first?.lowercased() else { continue }
      let refused = parts.dropFirst().contains { parameter in
        let pair = parameter.split(separator: "=").map(trimmed)
        return pair.count == 2 && pair[0].lowercased() == "q" && Double(pair[1]) == 0
      }
      if coding == "gzip" || coding == "x-gzip" { return !refused }
      if coding == "*" { wildcard = !refused }
    }
    return wildcard
  }

  /// Returns whether `If-None-Match` names the current representation, by weak comparison (RFC
  /// 9110, 13.1.2).
  /// - Parameters:
  ///   - field: The field's value; `nil` when it wasn't sent.
  ///   - tag: The current entity tag with its quotation marks.
  public static func matches(_ field: String?, tag: String) -> Bool {
    guard let field else { return false }
    return field.split(separator: ",").map(trimmed).contains { candidate in
      candidate == "*" || opaque(candidate) == opaque(tag)
    }
  }

  private static func opaque(_ tag: String) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var text = Substring(text)
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
