import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A loopback port that the test reserves without listening on it, so that connections to it are refused. A port that
/// was merely free a moment ago may already be used by another test's server.
final class SilentPort {
  struct Failure: Error {}

  let url: URL
  private let descriptor: Int32

  init() throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
      }
    }
    let port = UInt16(bigEndian: address.sin_port)
    guard isBound, let url = URL(string: "http://127.0.0.1:\(port)/feed.json") else {
      close(descriptor)
      throw Failure()
    }
    self.url = url
  }

  deinit { close(descriptor) }
}
