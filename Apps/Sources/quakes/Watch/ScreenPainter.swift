/// Converts lines into the output that makes a terminal show them: only the lines that differ from
/// those already shown, so that nothing flickers.
struct ScreenPainter {
  private var shown: [String] = []
  private var isKnown = false

  /// Marks the terminal's contents as unknown, so that all lines are painted next time.
  mutating func forget() { isKnown = false }

  /// Returns the control sequences (ECMA-48) and text that show the lines; empty when they are
  /// already shown.
  mutating func paint(_ lines: [String]) -> [UInt8] {
    var text = ""
    if !isKnown {
      text += "\u{1b}[2J"
      shown = []
    }
    for (row, line) in lines.enumerated() {
      let known = row < shown.count ? shown[row] : ""
      if known != line { text += "\u{1b}[\(row + 1);1H\u{1b}[2K" + line }
    }
    shown = lines
    isKnown = true
    return Array(text.utf8)
  }
}
