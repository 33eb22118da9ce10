import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads keys and signals of a terminal, until it is cancelled.
final class TerminalInput: @unchecked Sendable {
  // Unchecked: the sources are set up before the object is shared, and only cancelled afterwards.
  /// A request of the user.
  enum Wish: Hashable, Sendable {
    case quit, suspend, resume, resize, redraw, refresh
  }

  private static let wishes: [(signal: Int32, wish: Wish)] = [
    (SIGINT, .quit), (SIGTERM, .quit), (SIGHUP, .quit), (SIGQUIT, .quit), (SIGCONT, .resume),
    (SIGWINCH, .resize),
  ]

  private let queue = DispatchQueue(label: "quakes.terminal")
  private var sources: [any DispatchSourceProtocol] = []

  /// Starts reading.
  /// - Parameters:
  ///   - keyboard: A file descriptor of a terminal; other files aren't read.
  ///   - tell: Called with each wish, on a queue of its own.
  init(keyboard: Int32 = STDIN_FILENO, tell: @escaping @Sendable (Wish) -> Void) {
    let registration = DispatchGroup()
    for (number, wish) in Self.wishes {
      #if canImport(Darwin)
        signal(number, SIG_IGN)
      #endif
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { tell(wish) }
      registration.enter()
      source.setRegistrationHandler { registration.leave() }
      source.resume()
      sources.append(source)
    }
    // Until a source is registered, its signal ends the program, and the terminal stays as it is.
    registration.wait()
    guard isatty(keyboard) == 1 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: keyboard, queue: queue)
    source.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = read(keyboard, &bytes, bytes.count)
      if count > 0 {
        for wish in Self.wishes(in: bytes.prefix(count)) { tell(wish) }
      } else if count == 0 || errno != EINTR && errno != EAGAIN {
        // The terminal has been closed, so there are no further keys.
        source.cancel()
        tell(.quit)
      }
    }
    source.resume()
    sources.append(source)
  }

  /// Stops reading.
  func cancel() {
    for source in sources { source.cancel() }
  }

  /// Returns the wishes that keys stand for. The bytes of an escape sequence don't count.
  static func wishes(in bytes: some Sequence<UInt8>) -> [Wish] {
    var wishes: [Wish] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x03, 0x04: wishes.append(.quit)
      case UInt8(ascii: "r"), UInt8(ascii: "R"): wishes.append(.refresh)
      case 0x1a: wishes.append(.suspend)
      case 0x0c: wishes.append(.redraw)
      case 0x1b: return wishes
      default: continue
      }
    }
    return wishes
  }
}
