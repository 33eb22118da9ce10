import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The properties of the terminal at the other end of a stream.
package struct Terminal: Sendable {
  /// Whether the stream is connected to a terminal that a person watches.
  package var isInteractive: Bool
  /// Whether to use colour (https://no-color.org).
  package var hasColour: Bool
  /// The number of columns of a line.
  package var columns: Int

  package init(isInteractive: Bool, hasColour: Bool, columns: Int) {
    self.isInteractive = isInteractive
    self.hasColour = hasColour
    self.columns = columns
  }

  /// Returns the terminal at a file descriptor.
  package static func at(
    _ descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Terminal {
    let isTerminal = isatty(descriptor) == 1
    let isDumb = environment["TERM"] == "dumb"
    let isColourless = !(environment["NO_COLOR"] ?? "").isEmpty
    var size = winsize()
    let width = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
    let wanted = environment["COLUMNS"].flatMap { Int($0) } ?? 0
    let columns = wanted > 0 ? wanted : width > 0 ? width : isTerminal ? 80 : 120
    return Terminal(
      isInteractive: isTerminal && !isDumb, hasColour: isTerminal && !isDumb && !isColourless,
      columns: min(max(columns, 20), 400))
  }

  /// A style of ECMA-48's "select graphic rendition".
  package enum Style: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case yellow = "33"
    case green = "32"
  }

  /// Returns the text in a style, if colour is used.
  package func styled(_ text: String, _ style: Style?) -> String {
    guard hasColour, let style else { return text }
    return "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
  }
}
