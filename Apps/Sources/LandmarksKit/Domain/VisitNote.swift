/// The rules for a user's note on a visit: a text of several lines, as it is kept, sent and merged.
///
/// Lengths are in UTF-16 code units, as text fields of browsers count them (HTML, "maximum allowed value length").
public enum VisitNote {
  /// The maximum length of a note that is typed.
  public static let maximumLength = 2_000
  /// The maximum length of a note at the server. Merged notes have the lines of both sides, so they can be longer than
  /// typed ones.
  public static let maximumMergedLength = 8_000

  /// Returns a text as a note: lines end with a line feed, other control characters than tabs are left out, and so is
  /// white space at the beginning and end.
  public static func normalized(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if scalar == "\r" || scalar == "\n" && previous != "\r" {
        scalars.append("\n")
      } else if isAllowed(scalar), scalar != "\n" {
        scalars.append(scalar)
      }
      previous = scalar
    }
    let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
    let start = scalars.firstIndex { !isSpace($0) } ?? scalars.endIndex
    let end = scalars.lastIndex { !isSpace($0) }.map(scalars.index(after:)) ?? start
    return String(String.UnicodeScalarView(scalars[start..<end]))
  }

  /// Whether a text has only characters that notes have: line feeds and tabs, but no other control characters.
  public static func isClean(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy(isAllowed)
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control
  }

  /// Checks the length of a note that a user has typed.
  /// - Parameters:
  ///   - note: The note.
  ///   - present: The visit's note. One that is longer than allowed, after a merge, may be replaced by one that isn't
  ///     longer.
  /// - Throws: ``LandmarksError/Code/invalidArgument``.
  public static func check(_ note: String, replacing present: String = "") throws {
    try check(note, upTo: max(maximumLength, present.utf16.count))
  }

  static func check(_ note: String, upTo limit: Int) throws {
    guard note.utf16.count <= limit else {
      throw LandmarksError(
        .invalidArgument, "note",
        reason: "a note has at most \(limit) characters, this one has \(note.utf16.count)")
    }
  }
}
