import Foundation

/// A part of a search between spaces, as typed: `california`, `-m>4`, `"san francisco"`, `near:"san francisco"`.
///
/// The page's `search-tokens.js` has the same rules.
struct SearchToken: Hashable, Sendable {
  /// The token as typed.
  var source = ""
  /// The token without quotation marks, and without a `-` in front of it.
  var text = ""
  var isNegated = false
  /// Whether it begins with a quotation mark: a text that has no other meaning.
  var isQuoted = false

  /// Whether a part of it is in quotation marks.
  var hasQuotes: Bool { source.contains(where: Self.quotes.contains) }

  /// Whether it can be a further word of a name.
  var isNameWord: Bool {
    !isNegated && !isQuoted && text.wholeMatch(of: /[\p{L}\p{M}.'’-]+/) != nil
  }

  private static let quotes: Set<Character> = ["\"", "“", "”", "„"]
  private static let trimmed = CharacterSet(charactersIn: ",;")

  /// Returns the tokens of a search. A quotation mark counts at the beginning, and behind a colon; without an end it
  /// encloses everything.
  static func tokens(of search: String) -> [SearchToken] {
    var tokens: [SearchToken] = []
    var rest = search[...]
    while true {
      rest = rest.drop { $0.isWhitespace }
      guard !rest.isEmpty else { return tokens }
      let token = SearchToken(&rest)
      if !token.text.isEmpty { tokens.append(token) }
    }
  }

  /// Takes a token from the beginning of a text.
  private init(_ rest: inout Substring) {
    let start = rest
    if rest.first == "-", let next = rest.dropFirst().first, !next.isWhitespace, next != "-" {
      isNegated = true
      rest.removeFirst()
    }
    isQuoted = rest.first.map(Self.quotes.contains) ?? false
    var previous: Character?
    while let letter = rest.first, !letter.isWhitespace {
      if Self.quotes.contains(letter), previous == nil || previous == ":" {
        rest.removeFirst()
        let inside = rest.prefix { !Self.quotes.contains($0) }
        text += inside.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        rest = rest.dropFirst(inside.count + 1)
        previous = "\""
      } else {
        text.append(letter)
        previous = letter
        rest.removeFirst()
      }
    }
    source = String(start[..<rest.startIndex])
    if !isQuoted { text = text.trimmingCharacters(in: Self.trimmed) }
    guard isNegated, text.isEmpty else { return }
    // A sign alone, or with commas only, is a word as any other.
    (isNegated, text) = (false, source.trimmingCharacters(in: Self.trimmed))
  }
}
