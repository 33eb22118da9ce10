import Synchronization
import WireFormats

/// The gzipped form of a file, made when it is first needed. A browser asks for some of a page's files only, and
/// compressing all of them was more than half of the time in which a program starts.
package final class GzippedForm: Sendable {
  private let plain: [UInt8]
  private let made = Mutex<[UInt8]?>(nil)

  /// Creates the form, which isn't made yet.
  /// - Parameter plain: The file's bytes.
  package init(of plain: [UInt8]) {
    self.plain = plain
  }

  /// Whether the form has been made.
  package var isMade: Bool { made.withLock { $0 != nil } }

  /// Returns the gzipped bytes. Calls while they are being made wait for them.
  /// - Throws: `CompressionError` when zlib has no memory; the next call tries again.
  package func bytes() throws -> [UInt8] {
    try made.withLock { made in
      if let made { return made }
      let bytes = try GzipEncoder.compress(plain, level: 9)
      made = bytes
      return bytes
    }
  }
}
