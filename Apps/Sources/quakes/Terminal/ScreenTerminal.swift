import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A terminal whose whole screen the program uses. The previous contents are restored at the end.
final class ScreenTerminal: Sendable {
  // Switches to xterm's alternate screen, hides the cursor, disables the wrapping of long lines;
  // and the reverse (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html, DECSET).
  private static let opening = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
  private static let closing = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  private struct State {
    var isEntered = false
    /// The keyboard's previous settings; nil when there is no keyboard.
    var settings: termios?
  }

  private let input: Int32
  private let output: Int32
  private let state = Mutex(State())

  init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
    self.input = input
    self.output = output
  }

  /// The current size.
  var size: TerminalSize { .at(output) }

  /// Switches to the program's screen. Keys are read one by one, and aren't echoed.
  /// - Throws: `StandardOutput.Closed` or `POSIXError` when the terminal has been closed.
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

  /// Switches to the program's screen again, after another program may have used the terminal: the
  /// shell, while this program was stopped. Does nothing when the program's screen isn't active.
  /// - Throws: The errors of ``enter()``.
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

  /// Makes keys arrive immediately and without echo. Ctrl-C remains a signal. Ctrl-Z becomes a key,
  /// because its signal would stop the program before it can restore the screen.
  private static func makeRaw(_ settings: inout termios) {
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      keys[Int(VMIN)] = 1
      keys[Int(VTIME)] = 0
      keys[Int(VSUSP)] = Self.noKey
    }
  }

  /// `_POSIX_VDISABLE`: no key is assigned to this function.
  private static var noKey: UInt8 {
    #if canImport(Darwin)
      0xff
    #else
      0
    #endif
  }

  /// Restores the previous screen; does nothing when the program's screen isn't active.
  func leave() {
    let isNews = state.withLock { state in
      guard state.isEntered else { return false }
      state.isEntered = false
      if var settings = state.settings {
        // Without this, a program in the background would be stopped here.
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
      // The terminal has been closed: there is no screen to restore.
    }
  }

  /// Restores the previous screen and stops the program and the other processes in the foreground,
  /// as Ctrl-Z does. The signal may be pending when this returns: to continue, call ``enter()``
  /// after `SIGCONT` has arrived.
  func stop() {
    leave()
    kill(0, SIGTSTP)
  }

  /// Writes bytes immediately.
  /// - Throws: `StandardOutput.Closed` or `POSIXError` when the terminal has been closed.
  func write(_ bytes: [UInt8]) throws {
    try StandardOutput.write(bytes, to: output)
  }
}
