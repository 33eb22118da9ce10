import Foundation
import Glibc

/// Passes the bytes between clients and the server of the tests, but for statements that other servers with
/// PostgreSQL's protocol don't have: triggers, temporary tables, announcements and some functions. The server answers
/// with the error 0A000, as if it lacked the feature.
package final class RefusingProxy: Sendable {
  /// The words of the statements.
  private static let refused: [[UInt8]] = [
    "CREATE TRIGGER", "PLPGSQL", "TEMPORARY", "PG_TEMP", "LISTEN", "PG_NOTIFY", "ADVISORY", "XMIN",
    "LOCK TABLE", "PG_TRGM", "PREPARE TRANSACTION", "DECLARE",
  ].map { Array($0.utf8) }

  private static let started = Result { try RefusingProxy(to: PostgresServer.shared) }

  /// The proxy in front of the server.
  package static var shared: RefusingProxy {
    get throws { try started.get() }
  }

  package let url: String
  private let listener: Int32

  private init(to server: PostgresServer) throws {
    // A connection may end while it is written to.
    signal(SIGPIPE, SIG_IGN)
    let (path, url) = server.proxySocket(port: 7432)
    self.url = url
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let target = server.socketPath
    guard ProxySockets.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
    else { throw PostgresServer.Failure(description: "the proxy can't listen at \(path)") }
    ProxySockets.start { [listener] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        Self.connect(client, to: target)
      }
    }
  }

  private static func connect(_ client: Int32, to target: String) {
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard ProxySockets.withAddress(target, { Glibc.connect(server, $0, $1) }) == 0 else {
      close(client)
      close(server)
      return
    }
    let sockets = ProxiedSockets(client: client, server: server)
    ProxySockets.start {
      var messages = RewrittenMessages(refused)
      ProxySockets.pump(sockets.client) {
        ProxySockets.write(messages.pass($0), to: sockets.server)
      }
      sockets.end()
    }
    ProxySockets.start {
      ProxySockets.pump(sockets.server) { ProxySockets.write($0, to: sockets.client) }
      sockets.end()
    }
  }
}

/// The two ends of a connection, closed when nobody uses them.
private final class ProxiedSockets: Sendable {
  let client: Int32
  let server: Int32

  init(client: Int32, server: Int32) {
    self.client = client
    self.server = server
  }

  deinit {
    close(client)
    close(server)
  }

  func end() {
    shutdown(client, Int32(SHUT_RDWR))
    shutdown(server, Int32(SHUT_RDWR))
  }
}

/// A client's messages (https://www.postgresql.org/docs/15/protocol-message-formats.html), with other texts in place of
/// refused statements.
private struct RewrittenMessages {
  /// A statement that the server refuses with 0A000 when it parses it.
  private static let refusedText = Array("SELECT 1 UNION SELECT 1 FOR UPDATE".utf8)

  private let refused: [[UInt8]]
  /// The beginning of a message whose end hasn't arrived.
  private var rest: [UInt8] = []
  /// Whether the first message, which has no type, is over.
  private var hasBegun = false

  init(_ refused: [[UInt8]]) { self.refused = refused }

  /// Returns the messages that end in these bytes.
  mutating func pass(_ bytes: [UInt8]) -> [UInt8] {
    rest += bytes
    var output: [UInt8] = []
    var start = 0
    while true {
      let header = start + (hasBegun ? 1 : 0)
      guard header + 4 <= rest.count else { break }
      let length = rest[header..<header + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length >= 4, header + length <= rest.count else { break }
      let message = rest[start..<header + length]
      output += hasBegun ? rewritten(message)[...] : message
      hasBegun = true
      start = header + length
    }
    rest.removeFirst(start)
    return output
  }

  private func rewritten(_ message: ArraySlice<UInt8>) -> [UInt8] {
    let content = message.dropFirst(5)
    var before: ArraySlice<UInt8> = []
    switch message.first {
    case UInt8(ascii: "Q"): break
    case UInt8(ascii: "P"):
      // The name of the prepared statement comes first.
      guard let end = content.firstIndex(of: 0) else { return Array(message) }
      before = content[...end]
    default: return Array(message)
    }
    let rest = content.dropFirst(before.count)
    guard let end = rest.firstIndex(of: 0) else { return Array(message) }
    let text = rest[..<end].map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
    guard refused.contains(where: { text.firstRange(of: $0) != nil }) else { return Array(message) }
    let body = before + Self.refusedText + rest[end...]
    let length = UInt32(body.count + 4)
    return Array(message.prefix(1)) + withUnsafeBytes(of: length.bigEndian) { Array($0) } + body
  }
}
