/// Random valid JSON documents.
enum RandomJSON {
  static func value(depth: Int, using random: inout SeededGenerator) -> String {
    let space = [" ", "", "", "\n", "\t "].randomElement(using: &random) ?? ""
    return space + bare(depth: depth, using: &random) + space
  }

  private static func bare(depth: Int, using random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &random) {
    case 0: return "null"
    case 1: return Bool.random(using: &random) ? "true" : "false"
    case 2: return "\(Int.random(in: -1_000_000...1_000_000, using: &random))"
    case 3: return "\(Double.random(in: -1e6...1e6, using: &random))"
    case 4, 5: return string(using: &random)
    case 6, 7:
      let elements = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        value(depth: depth - 1, using: &random)
      }
      return "[\(elements.joined(separator: ","))\(elements.isEmpty ? " " : "")]"
    default:
      // Occasionally an object is so large that it is looked up in a dictionary.
      let count = Int.random(in: 0..<20, using: &random) == 0 ? 60 : 6
      let members = (0..<Int.random(in: 0...count, using: &random)).map { index in
        "\"k\(index)" + string(using: &random).dropFirst() + " :"
          + value(depth: count > 6 ? 0 : depth - 1, using: &random)
      }
      return "{\(members.joined(separator: ","))}"
    }
  }

  static func string(using random: inout SeededGenerator) -> String {
    let pieces = [
      "a", "Z", "0", " ", "é", "日", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\u0000",
      "\\ud83d\\ude00", "\\t", "km NW of The Geysers", "\u{7f}", "\u{2028}",
    ]
    let count = Int.random(in: 0...8, using: &random)
    return "\""
      + (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined() + "\""
  }
}
