import Foundation
import HTTPContent

/// A line that shows the progress of a refresh, rewritten in place. Only for terminals.
struct ProgressBar {
  let terminal: Terminal
  private static let width = 24

  /// Returns the line for a state of the transfer.
  /// - Parameters:
  ///   - bytes: The number of bytes received so far.
  ///   - expected: The size of the transfer, if the sender reported it.
  ///   - events: The number of events read so far.
  func line(bytes: Int, expected: Int?, events: Int) -> String {
    let counts = "\(events) events, \(Self.size(bytes))"
    guard let expected, expected > 0 else { return fitted("Loading  \(counts)") }
    return line(share: Double(bytes) / Double(expected), counts)
  }

  /// Returns the line for a known share of the work, from 0 to 1.
  func line(share: Double, _ text: String) -> String {
    let share = max(0, min(1, share))
    let full = Int(share * Double(Self.width))
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: Self.width - full)
    return fitted("Loading \(bar) \(Int(share * 100)) %  \(text)")
  }

  /// Replaces the last line by this one.
  func show(_ line: String) { put("\r\u{1b}[2K" + line) }

  /// Removes the line.
  func clear() { put("\r\u{1b}[2K") }

  /// Formats a number of bytes for display.
  static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1_000: "\(bytes) B"
    case ..<1_000_000: EventTable.decimal(Double(bytes) / 1_000, 1) + " kB"
    default: EventTable.decimal(Double(bytes) / 1_000_000, 1) + " MB"
    }
  }

  private func fitted(_ text: String) -> String {
    PlainText.fitted(PlainText.neutralised(text), columns: terminal.columns - 1)
  }

  private func put(_ text: String) { ErrorOutput.write(text) }
}
