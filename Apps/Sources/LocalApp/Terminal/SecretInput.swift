import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a secret from standard input: from a terminal without showing it, otherwise a line.
package struct SecretInput {
  /// The maximum length of a secret, in bytes.
  package static let longest = 4_096

  private let descriptor: Int32

  package init(descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

  /// Whether a person types the secret.
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Reads a secret.
  /// - Parameter prompt: The question for a person, on standard error.
  /// - Throws: ``LocalAppError`` without a line, or for one that is too long or not in UTF-8, `CancellationError` when
  ///   the person presses Ctrl-C, `POSIXError`.
  package func read(_ prompt: String) throws -> String {
    let bytes = isTerminal ? try typed(prompt) : try line()
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      throw LocalAppError("standard input", reason: "the password isn't text in UTF-8")
    }
    return text
  }

  private func line() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let byte = try next(), byte != 0x0a { try Self.add(byte, to: &bytes) }
    if bytes.last == 0x0d { bytes.removeLast() }
    guard !bytes.isEmpty else {
      throw LocalAppError("standard input", reason: "a line with the password is missing")
    }
    return bytes
  }

  private func typed(_ prompt: String) throws -> [UInt8] {
    ErrorOutput.write(prompt)
    var usual = termios()
    guard tcgetattr(descriptor, &usual) == 0 else { throw Self.lastError }
    var silent = usual
    // Bytes come one by one, Ctrl-C too: it must not end the program while the terminal shows nothing.
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else { throw Self.lastError }
    defer {
      tcsetattr(descriptor, TCSAFLUSH, &usual)
      ErrorOutput.write("\n")
    }
    var bytes: [UInt8] = []
    while let byte = try next() {
      switch byte {
      case 0x03: throw CancellationError()
      case 0x04, 0x0a, 0x0d: return bytes
      case 0x08, 0x7f:
        // The last character, whose bytes after the first begin with the bits 10.
        while let last = bytes.popLast(), last & 0xc0 == 0x80 {}
      case 0x15: bytes = []
      default: try Self.add(byte, to: &bytes)
      }
    }
    return bytes
  }

  private static func add(_ byte: UInt8, to bytes: inout [UInt8]) throws {
    guard bytes.count < longest else {
      throw LocalAppError("standard input", reason: "the password is too long")
    }
    bytes.append(byte)
  }

  /// Returns the next byte; nil at the end.
  private func next() throws -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = Self.read(descriptor, &byte)
      if count == 1 { return byte }
      if count == 0 { return nil }
      guard errno == EINTR else { throw Self.lastError }
    }
  }

  private static func read(_ descriptor: Int32, _ byte: inout UInt8) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, &byte, 1)
    #elseif canImport(Musl)
      Musl.read(descriptor, &byte, 1)
    #else
      Darwin.read(descriptor, &byte, 1)
    #endif
  }

  private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
