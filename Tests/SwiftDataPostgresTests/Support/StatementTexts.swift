/// Reads the texts of statements from the bytes that a client sends to the server
/// (https://www.postgresql.org/docs/15/protocol-message-formats.html).
struct StatementTexts {
  /// The beginning of a message whose end hasn't arrived.
  private var rest: [UInt8] = []
  /// Whether the first message, which has no type, is over.
  private var hasBegun = false

  /// The texts that end in these bytes.
  mutating func read(_ bytes: [UInt8]) -> [String] {
    rest += bytes
    var texts: [String] = []
    var start = 0
    while true {
      let header = start + (hasBegun ? 1 : 0)
      guard header + 4 <= rest.count else { break }
      let length = rest[header..<header + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length >= 4, header + length <= rest.count else { break }
      let content = rest[header + 4..<header + length]
      if hasBegun {
        switch rest[start] {
        case UInt8(ascii: "Q"): texts.append(Self.text(content))
        // The name of the prepared statement comes first.
        case UInt8(ascii: "P"): texts.append(Self.text(content.drop { $0 != 0 }.dropFirst()))
        default: break
        }
      }
      hasBegun = true
      start = header + length
    }
    rest.removeFirst(start)
    return texts
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
