import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A terminal whose whole screen a program uses. What was on it before comes back in the end.
final class ScreenTerminal: Sendable {
  // xterm's alternate screen, no cursor, no wrapping of long lines; and all that back
  // (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html, DECSET).
  private static let opening = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
  private static let closing = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  private struct State {
    var isEntered = false
    /// How the keyboard was set up; nil when there is none.
    var settings: termios?
  }

  private let input: Int32
  private let output: Int32
  private let state = Mutex(State())

  init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
    self.input = input
    self.output = output
  }

  /// Its size now.
  var size: TerminalSize { .at(output) }

  /// Takes the screen over. Keys come one by one, and are not shown.
  /// - Throws: `StandardOutput.Closed` or `POSIXError` when the terminal has gone.
  func enter() throws {
    let isNews = state.withLock { state in
      guard !state.isEntered else { return false }
      state.isEntered = true
      var settings = termios()
      if tcgetattr(input, &settings) == 0 { state.settings = settings }
      return true
    }
    if isNews { try renew() }
  }

  /// Takes the screen over again, after somebody else may have used it: the shell, while the
  /// program was stopped. Does nothing when the screen isn't taken.
  /// - Throws: what ``enter()`` throws.
  func renew() throws {
    let isEntered = state.withLock { state in
      if state.isEntered, var settings = state.settings {
        Self.makeRaw(&settings)
        tcsetattr(input, TCSANOW, &settings)
      }
      return state.isEntered
    }
    if isEntered { try write(Array(Self.opening.utf8)) }
  }

  /// Keys come at once and unseen. Ctrl-C goes on being a signal; Ctrl-Z becomes a key, because the
  /// signal stops a program before it can do anything about its screen.
  private static func makeRaw(_ settings: inout termios) {
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      keys[Int(VMIN)] = 1
      keys[Int(VTIME)] = 0
      keys[Int(VSUSP)] = Self.noKey
    }
  }

  /// `_POSIX_VDISABLE`: no key has this meaning.
  private static var noKey: UInt8 {
    #if canImport(Darwin)
      0xff
    #else
      0
    #endif
  }

  /// Gives the screen back; does nothing when it isn't taken.
  func leave() {
    let isNews = state.withLock { state in
      guard state.isEntered else { return false }
      state.isEntered = false
      if var settings = state.settings {
        // A program in the background would be stopped here.
        let handler = signal(SIGTTOU, SIG_IGN)
        tcsetattr(input, TCSANOW, &settings)
        signal(SIGTTOU, handler)
      }
      state.settings = nil
      return true
    }
    guard isNews else { return }
    do {
      try write(Array(Self.closing.utf8))
    } catch {
      // The terminal has gone: there is no screen to give back.
    }
  }

  /// Gives the screen back and stops the program, with what runs in the foreground with it, as
  /// Ctrl-Z does. The signal is on its way when this returns: whoever goes on calls ``enter()``
  /// when `SIGCONT` has come.
  func stop() {
    leave()
    kill(0, SIGTSTP)
  }

  /// Sends bytes at once.
  /// - Throws: `StandardOutput.Closed` or `POSIXError` when the terminal has gone.
  func write(_ bytes: [UInt8]) throws {
    var stream = StandardOutput(descriptor: output)
    try stream.write(bytes)
    try stream.flush()
  }
}
