import Foundation
import HTTPContent

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes to standard output through a buffer. If the reader has closed the pipe (`quakes list |
/// head`), the command ends without an error message.
package struct StandardOutput {
  /// The reader has closed the pipe.
  package struct Closed: Error {
    package init() {}
  }

  private static let bufferSize = 64 * 1_024
  private var buffer: [UInt8] = []
  private let descriptor: Int32

  package init(descriptor: Int32 = STDOUT_FILENO) { self.descriptor = descriptor }

  /// Appends bytes.
  /// - Throws: ``Closed`` or ``LocalAppError``.
  package mutating func write(_ bytes: [UInt8]) throws {
    buffer += bytes
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Appends a line.
  package mutating func line(_ text: String) throws { try write(Array(text.utf8) + [0x0a]) }

  /// Writes the whole buffer.
  /// - Throws: ``Closed``, or ``LocalAppError`` that names the standard output.
  package mutating func flush() throws {
    let bytes = buffer
    buffer = []
    do { try Self.write(bytes, to: descriptor) } catch let error as POSIXError {
      throw LocalAppError("the standard output", reason: FileFailure.reason(error))
    }
  }

  /// Writes bytes to a file.
  /// - Throws: ``Closed`` or `POSIXError`.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { bytes in
        #if canImport(Glibc)
          Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
          Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
          Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
      }
      if written < 0 {
        let code = errno
        if code == EINTR { continue }
        if code == EAGAIN || code == EWOULDBLOCK {
          try wait(for: descriptor)
          continue
        }
        if code == EPIPE { throw Closed() }
        throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
      }
      rest = rest.dropFirst(written)
    }
  }

  /// Waits until a file takes bytes again. Another program that has the same file open, such as `ssh`, can have made it
  /// one that doesn't block.
  private static func wait(for descriptor: Int32) throws {
    var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&file, 1, -1) < 0 else { return }
    let code = errno
    guard code != EINTR else { return }
    throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
  }
}

/// Writes to standard error. A failure to do so is ignored: it can't be reported anywhere, and mustn't end a server.
package enum ErrorOutput {
  /// Writes a text as it is.
  package static func write(_ text: String, to descriptor: Int32 = STDERR_FILENO) {
    do { try StandardOutput.write(Array(text.utf8), to: descriptor) } catch {
      // `FileHandle.write(_:)` would end the program here.
    }
  }
}

/// The text of messages and of the log, for standard error. Errors have text of feeds, servers and stores, which must
/// not control the reader's terminal.
struct MessageOutput: TextOutputStream, Sendable {
  var descriptor: Int32 = STDERR_FILENO

  /// Writes a text of whole lines. A failure to do so is ignored.
  func write(_ text: String) {
    ErrorOutput.write(PlainText.neutralisedLines(text), to: descriptor)
  }
}

/// Writes a message as a line, or several ones, to standard error; a failure to do so is ignored.
package func complain(_ text: String) { MessageOutput().write(text + "\n") }
