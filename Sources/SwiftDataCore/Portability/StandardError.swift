import Foundation

/// The last resort for failures that no caller can be told of.
package enum StandardError {
  package static func write(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
  }
}
