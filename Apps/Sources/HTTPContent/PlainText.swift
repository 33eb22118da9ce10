/// Makes text from feeds safe to print: a feed must not be able to control the reader's terminal.
public enum PlainText {
  /// Replaces control characters (C0, DEL, C1), line and paragraph separators, characters that change the direction of
  /// the text after them, and other invisible characters by U+FFFD. The joiners of scripts and of emoji are kept after
  /// a character that they can join.
  public static func neutralised(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.value >= 0x7f || $0.value < 0x20 }) else {
      return text
    }
    var result = String.UnicodeScalarView()
    var isJoinable = false
    for scalar in text.unicodeScalars {
      let isJoiner = scalar.value == 0x200c || scalar.value == 0x200d
      result.append(isUnsafe(scalar) && !(isJoiner && isJoinable) ? "\u{fffd}" : scalar)
      isJoinable = scalar.value > 0x2ff && !isJoiner
    }
    return String(result)
  }

  /// Replaces the same characters but line feeds, which stay ends of lines.
  public static func neutralisedLines(_ text: String) -> String {
    text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { neutralised(String($0)) }.joined(separator: "\n")
  }

  /// Returns the number of terminal columns of a text: none for marks that join the preceding character, two for East
  /// Asian wide characters and emoji, one for all others.
  public static func width(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width($1) }
  }

  /// Returns the start of a text that fits into `columns`, with `…` when something is left out.
  public static func fitted(_ text: String, columns: Int) -> String {
    guard width(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var result = ""
    var used = 0
    for character in text {
      let wide = width(String(character))
      if used + wide > columns - 1 { break }
      result.append(character)
      used += wide
    }
    return result + "…"
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7f: return false
    case 0..<0x20, 0x7f...0x9f: return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return scalar.properties.isDefaultIgnorableCodePoint && !isVariation(scalar)
    }
  }

  /// Returns whether a scalar selects the form of the preceding character, such as an emoji.
  private static func isVariation(_ scalar: Unicode.Scalar) -> Bool {
    (0xfe00...0xfe0f).contains(scalar.value)
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
      0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff,
      0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }
}
