#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number of columns and rows of a terminal.
struct TerminalSize: Hashable, Sendable {
  var columns: Int
  var rows: Int

  /// The maximum of either. No terminal is larger; a larger size is an error.
  private static let maximum = 1_000

  /// Creates a size of at least one character.
  init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), Self.maximum)
    self.rows = min(max(rows, 1), Self.maximum)
  }

  /// Returns the size of the terminal at a file descriptor; 80 × 24 when it doesn't report one.
  static func at(_ descriptor: Int32) -> TerminalSize {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return TerminalSize(columns: 80, rows: 24)
    }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
