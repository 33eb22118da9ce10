import Foundation

/// A diagnostic as the compiler printed it, at a position in a handwritten source.
struct CompilerFinding: Equatable {
  let file: String
  let line: Int
  let column: Int
  let severity: String
  let message: String
  /// Whether the message is ours: a macro's, or that of one of our `@available` attributes. The compiler's messages
  /// differ between its versions.
  let isOurs: Bool

  /// The line of a golden file. Text after the mark isn't compared.
  var golden: String {
    isOurs
      ? "\(line):\(column): \(severity): \(message)"
      : "\(line): \(severity)\(Self.mark)\(message)"
  }

  /// The separator between the position of a compiler's diagnostic and its message, which is only for readers.
  static let mark = " | "

  /// Returns the part of a golden line that is compared.
  static func compared(_ golden: String) -> String {
    guard let mark = golden.range(of: mark),
      golden[..<mark.lowerBound].wholeMatch(of: /\d+: \w+/) != nil
    else { return golden }
    return String(golden[..<mark.lowerBound])
  }

  /// Returns the errors and warnings in the compiler's output, in its order, once per position, and the notes with
  /// which our macros offer corrections. A diagnostic in an expansion has the position of the macro's use. For an
  /// expansion inside an expansion the compiler doesn't print that position; such diagnostics follow others and are
  /// left out, unless the message is ours.
  static func findings(in output: String) -> [CompilerFinding] {
    var found: [CompilerFinding] = []
    var pending: PrintedDiagnostic?
    func settle(at place: PrintedDiagnostic) {
      guard let diagnostic = pending else { return }
      let finding = diagnostic.finding(at: place)
      let isRepeated = found.contains { other in
        CompilerFinding.compared(other.golden) == CompilerFinding.compared(finding.golden)
          && other.file == finding.file
      }
      if !isRepeated { found.append(finding) }
      pending = nil
    }
    func settleLost() {
      if let lost = pending, lost.finding(at: lost).isOurs { settle(at: lost) }
      pending = nil
    }
    for line in output.split(separator: "\n") {
      guard let printed = PrintedDiagnostic(line) else { continue }
      if printed.severity == "note" {
        if printed.identifier == "in_macro_expansion", !printed.isInExpansion {
          settle(at: printed)
        } else if printed.identifier == "bridged_note", !printed.isInExpansion {
          found.append(printed.finding(at: printed))
        }
        continue
      }
      settleLost()
      pending = printed
      if !printed.isInExpansion { settle(at: printed) }
    }
    settleLost()
    return found
  }
}

/// A line `file:line:column: severity: message [identifier]` of the compiler's output.
private struct PrintedDiagnostic {
  let path: String
  let line: Int
  let column: Int
  let severity: String
  let message: String
  let identifier: String

  init?(_ text: Substring) {
    let pattern = /^(.+?):(\d+):(\d+): (error|warning|note): (.*) \[(\w+)\](?: \[#\w+\])?$/
    guard let match = text.wholeMatch(of: pattern), let line = Int(match.2),
      let column = Int(match.3)
    else { return nil }
    path = String(match.1)
    self.line = line
    self.column = column
    severity = String(match.4)
    message = String(match.5)
    identifier = String(match.6)
  }

  var isInExpansion: Bool { path.contains("@__swiftmacro_") || path.hasPrefix("macro expansion ") }

  func finding(at place: PrintedDiagnostic) -> CompilerFinding {
    CompilerFinding(
      file: URL(filePath: place.path).lastPathComponent, line: place.line, column: place.column,
      severity: severity, message: ownWords ?? message, isOurs: ownWords != nil)
  }

  /// The part of the message that this package wrote; nil for a diagnostic of the compiler or Foundation.
  private var ownWords: String? {
    if identifier == "bridged_note" { return message }
    if identifier.hasPrefix("bridged_") {
      let macro = message.firstMatch(of: #/ \(from macro '(\w+) ?'\)$/#)
      return macro?.1 == "Predicate" ? nil : macro.map { String(message[..<$0.range.lowerBound]) }
    }
    let carriesMessage = identifier.contains("availability") || identifier.contains("deprecated")
    guard carriesMessage, let colon = message.range(of: ": ") else { return nil }
    return String(message[colon.upperBound...])
  }
}
