/// A document that isn't JSON, recognized by its first bytes so that the error can name it.
package struct ForeignContent: Equatable {
  /// The number of bytes that are inspected.
  package static let prefixLength = 512

  /// The kind of document, for messages.
  package let name: String
  private let advice: String

  /// The error that names the content.
  package var error: LocalCopyError {
    var error = LocalCopyError(
      .notJSON, reason: "The document is not JSON: it is \(name)", advice: advice)
    error.byteOffset = 0
    return error
  }

  /// Inspects the beginning of a document.
  /// - Parameter prefix: the first bytes, 512 of them if there are that many.
  /// - Returns: nil when the bytes match no known format.
  package init?(prefix: [UInt8]) {
    if let known = Self.signature(prefix) {
      self = known
      return
    }
    let text = String(decoding: prefix, as: UTF8.self)
    let trimmed = text.drop { $0.isWhitespace }
    let lowercased = trimmed.prefix(64).lowercased()
    if lowercased.hasPrefix("<!doctype html") || lowercased.hasPrefix("<html") {
      self.init("an HTML page", "Perhaps a sign-in or error page: open the address in a browser.")
    } else if lowercased.hasPrefix("<") {
      self.init("XML or HTML", Self.askForJSON)
    } else if Self.isJSONP(trimmed) {
      self.init("JSONP (a script that calls a function)", "Ask for the plain JSON form instead.")
    } else if Self.isDelimited(trimmed) {
      self.init("CSV (comma-separated values)", Self.askForJSON)
    } else {
      return nil
    }
  }

  private static let askForJSON = "Use the address of the feed's JSON form."

  private init(_ name: String, _ advice: String) {
    self.name = name
    self.advice = advice
  }

  private static func signature(_ prefix: [UInt8]) -> ForeignContent? {
    if prefix.starts(with: [0x1F, 0x8B]) {
      return Self("gzip data", "It was compressed twice or its label is missing: inflate it first.")
    }
    if prefix.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      return Self("a zip archive", "Unpack it first.")
    }
    if prefix.starts(with: [0xEF, 0xBB, 0xBF]) {
      return Self(
        "text with a byte order mark", "RFC 8259 forbids the mark: ask the publisher to leave it.")
    }
    let isWide = prefix.count >= 2 && (prefix[0] == 0) != (prefix[1] == 0)
    if prefix.starts(with: [0xFF, 0xFE]) || prefix.starts(with: [0xFE, 0xFF]) || isWide {
      return Self("text in UTF-16 or UTF-32", "RFC 8259 asks for UTF-8.")
    }
    return nil
  }

  /// Whether the text is `callback({…});`, also with a comment before it, which servers send to
  /// prevent content sniffing.
  private static func isJSONP(_ text: Substring) -> Bool {
    var rest = text
    if rest.hasPrefix("/*"), let end = rest.firstRange(of: "*/") {
      rest = rest[end.upperBound...].drop { $0.isWhitespace }
    }
    if rest.hasPrefix("typeof ") { return true }
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" || $0 == "." }
    guard let first = name.first, !first.isNumber else { return false }
    return rest[name.endIndex...].drop { $0.isWhitespace }.first == "("
  }

  /// Whether the first line has at least three values, separated by commas, semicolons or tabs.
  private static func isDelimited(_ text: Substring) -> Bool {
    let line = text.prefix { !$0.isNewline }
    guard line.first.map({ $0 != "{" && $0 != "[" }) ?? false else { return false }
    return [",", ";", "\t"].contains { separator in
      line.split(separator: separator, omittingEmptySubsequences: false).count > 2
    }
  }
}
