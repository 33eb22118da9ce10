import Foundation
import Glibc

/// Sockets and threads of proxies between clients and servers.
package enum ProxySockets {
  package static func start(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.stackSize = 1 << 19
    thread.start()
  }

  /// Calls `body` with the address of a Unix socket.
  package static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Reads until the end, or until `body` returns false.
  package static func pump(_ socket: Int32, _ body: ([UInt8]) -> Bool) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(socket, &buffer, buffer.count)
      guard count > 0, body(Array(buffer[..<count])) else { return }
    }
  }

  package static func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(socket, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
