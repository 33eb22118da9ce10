import Foundation

/// A line that shows how far a refresh has come, rewritten in place. Only for terminals.
struct ProgressBar {
  let terminal: Terminal
  private static let width = 24

  /// The line for a state of the transfer.
  /// - Parameters:
  ///   - bytes: received so far.
  ///   - expected: the transfer's size, when the sender told it.
  ///   - events: read so far.
  func line(bytes: Int, expected: Int?, events: Int) -> String {
    let counts = "\(events) events, \(Self.size(bytes))"
    guard let expected, expected > 0 else { return fitted("Loading  \(counts)") }
    let share = min(1, Double(bytes) / Double(expected))
    let full = Int(share * Double(Self.width))
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: Self.width - full)
    return fitted("Loading \(bar) \(Int(share * 100)) %  \(counts)")
  }

  /// Shows a line in place of the last.
  func show(_ line: String) { put("\r\u{1b}[2K" + line) }

  /// Takes the line away.
  func clear() { put("\r\u{1b}[2K") }

  /// A number of bytes for people.
  static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1_000: "\(bytes) B"
    case ..<1_000_000: EventTable.decimal(Double(bytes) / 1_000, 1) + " kB"
    default: EventTable.decimal(Double(bytes) / 1_000_000, 1) + " MB"
    }
  }

  private func fitted(_ text: String) -> String { String(text.prefix(terminal.columns - 1)) }

  private func put(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
