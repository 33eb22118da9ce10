import Foundation

/// The last resort for failures that can't be reported to any caller.
package enum StandardError {
  package static func write(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
  }
}
