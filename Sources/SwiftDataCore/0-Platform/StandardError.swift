import Foundation

/// The last resort for failures that can't be reported to any caller.
package enum StandardError {
  package static func write(_ message: String) {
    do { try FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8)) } catch {
      // `write(_:)` would end the program here.
    }
  }
}
