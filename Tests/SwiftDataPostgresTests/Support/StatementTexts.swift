/// Reads the texts of statements from the bytes that a client sends to the server
/// (https://www.postgresql.org/docs/15/protocol-message-formats.html).
struct StatementTexts {
  /// The beginning of a message whose end hasn't arrived.
  private var rest: [UInt8] = []
  /// Whether the first message, which has no type, is over.
  private var hasBegun = false

  /// The texts of prepared statements, by their names.
  private var prepared: [String: String] = [:]

  /// The statements in some bytes.
  struct Sent {
    /// The texts of those that are sent with their texts.
    var texts: [String] = []
    /// The texts of those that are carried out.
    var executed: [String] = []
  }

  /// The statements whose messages end in these bytes.
  mutating func read(_ bytes: [UInt8]) -> Sent {
    rest += bytes
    var sent = Sent()
    var start = 0
    while true {
      let header = start + (hasBegun ? 1 : 0)
      guard header + 4 <= rest.count else { break }
      let length = rest[header..<header + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length >= 4, header + length <= rest.count else { break }
      let content = rest[header + 4..<header + length]
      if hasBegun {
        switch rest[start] {
        case UInt8(ascii: "Q"):
          sent.texts.append(Self.text(content))
          sent.executed.append(Self.text(content))
        case UInt8(ascii: "P"):
          let text = Self.text(content.drop { $0 != 0 }.dropFirst())
          prepared[Self.text(content)] = text
          sent.texts.append(text)
        case UInt8(ascii: "B"):
          // The name of the portal comes first.
          let name = Self.text(content.drop { $0 != 0 }.dropFirst())
          sent.executed.append(prepared[name] ?? "")
        default: break
        }
      }
      hasBegun = true
      start = header + length
    }
    rest.removeFirst(start)
    return sent
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
