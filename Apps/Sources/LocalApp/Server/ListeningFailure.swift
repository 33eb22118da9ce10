import Foundation
import NIOCore
import NIOPosix

/// The reasons why a server cannot listen at an address, in words for users.
package enum ListeningFailure {
  /// Returns the reason and its remedy; nil when `error` is another failure.
  package static func reason(_ error: any Error) -> String? {
    switch error {
    case let error as IOError: reason(error.errnoCode)
    case is SocketAddressError.UnknownHost:
      "no address is known for this name; --host takes another"
    case is SocketAddressError, is NIOConnectionError: "\(error); --host takes another address"
    default: nil
    }
  }

  private static func reason(_ code: CInt) -> String {
    switch code {
    case EADDRINUSE: "another program listens there already; --port takes another port"
    case EADDRNOTAVAIL: "this machine doesn't have the address; --host takes another"
    case EACCES:
      "ports below 1024 are for the system's administrator; --port takes another port"
    default: String(cString: strerror(code))
    }
  }
}
