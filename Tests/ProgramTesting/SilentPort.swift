import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A loopback port that the test reserves without listening on it, so that connections to it are refused. A port that
/// was merely free a moment ago may already be used by another test's server.
package final class SilentPort {
  package struct Failure: Error {}

  package let url: URL
  private let descriptor: Int32
  private var connections: [Int32] = []

  /// - Parameter isFull: whether it listens with a queue that is full, so that connections get no answer.
  package init(isFull: Bool = false) throws {
    let descriptor = Self.socket()
    self.descriptor = descriptor
    var address = Self.loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
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
    guard isFull else { return }
    listen(descriptor, 0)
    for _ in 0..<4 {
      let connection = Self.socket()
      _ = fcntl(connection, F_SETFL, O_NONBLOCK)
      withUnsafePointer(to: Self.loopback(port: port)) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      connections.append(connection)
    }
  }

  deinit {
    for connection in connections { close(connection) }
    close(descriptor)
  }

  private static func socket() -> Int32 {
    #if canImport(Glibc)
      Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
