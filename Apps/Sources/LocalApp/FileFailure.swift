import Foundation

/// The reasons why a file cannot be read or written, in words for users.
package enum FileFailure {
  /// Returns the system's text for an error of a file, and otherwise the error's own.
  package static func reason(_ error: any Error) -> String {
    var cause: (any Error)? = error
    while let error = cause {
      if let error = error as? POSIXError { return String(cString: strerror(error.code.rawValue)) }
      let bridged = error as NSError
      if bridged.domain == NSPOSIXErrorDomain {
        return String(cString: strerror(CInt(truncatingIfNeeded: bridged.code)))
      }
      cause = bridged.userInfo[NSUnderlyingErrorKey] as? any Error
    }
    return error is CocoaError ? error.localizedDescription : "\(error)"
  }
}
