/// Turns lines into what a terminal has to be sent to show them: only those that differ from what
/// it shows already, so that nothing flickers.
struct ScreenPainter {
  private var shown: [String] = []
  private var isKnown = false

  /// What the terminal shows isn't known any more: all of it is painted next time.
  mutating func forget() { isKnown = false }

  /// The control sequences (ECMA-48) and text that show the lines; empty when they are there.
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
