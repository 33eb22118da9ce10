import Foundation
import NIOCore
import NIOPosix
import WireFormats

/// A client that sends exactly the given bytes, so that requests can be tested that an HTTP library
/// would refuse to send.
package struct WireClient: Sendable {
  package let port: Int

  /// Creates a client for the port of a base address such as `http://127.0.0.1:40123`.
  package init(_ base: String) throws {
    guard let port = base.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw WireError(reason: "no port in \(base)")
    }
    self.port = port
  }

  /// Sends a request and reads the response until the connection ends.
  /// - Parameter bytes: A body that is no text.
  package func request(
    _ method: String = "GET", _ target: String, host: String? = nil,
    headers: [(String, String)] = [], body: String? = nil, bytes: [UInt8]? = nil
  ) async throws -> WireResponse {
    let content = bytes ?? body.map { Array($0.utf8) }
    var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"]
    lines += headers.map { "\($0.0): \($0.1)" }
    if let content { lines.append("Content-Length: \(content.count)") }
    lines += ["Connection: close", "", ""]
    return try WireResponse(
      await exchange(Array(lines.joined(separator: "\r\n").utf8) + (content ?? [])))
  }

  /// Sends text unchanged and returns the bytes that arrive until the connection ends.
  package func exchange(_ text: String) async throws -> [UInt8] {
    try await exchange(Array(text.utf8))
  }

  private func exchange(_ bytes: [UInt8]) async throws -> [UInt8] {
    try await connected { connection in
      try await connection.send(bytes)
      var bytes: [UInt8] = []
      while let piece = try await connection.receive() { bytes += piece }
      return bytes
    }
  }

  /// Calls `body` with a connection, which is closed afterwards.
  package func connected<Result: Sendable>(
    _ body: (inout WireConnection) async throws -> Result
  ) async throws -> Result {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      var connection = WireConnection(
        inbound: inbound.makeAsyncIterator(), outbound: outbound)
      return try await body(&connection)
    }
  }
}

/// An open connection.
package struct WireConnection {
  fileprivate var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  private var unread = ""

  fileprivate init(
    inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
    outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) {
    self.inbound = inbound
    self.outbound = outbound
  }

  package func send(_ text: String) async throws {
    try await outbound.write(ByteBuffer(string: text))
  }

  fileprivate func send(_ bytes: [UInt8]) async throws {
    try await outbound.write(ByteBuffer(bytes: bytes))
  }

  /// Returns the next bytes; `nil` at the end, also when the peer resets the connection.
  package mutating func receive() async throws -> [UInt8]? {
    do {
      return try await inbound.next().map { Array($0.readableBytesView) }
    } catch is IOError {
      return nil
    }
  }

  /// Reads up to and including `mark`.
  package mutating func read(through mark: String) async throws -> String {
    while true {
      if let range = unread.range(of: mark) {
        defer { unread.removeSubrange(..<range.upperBound) }
        return String(unread[..<range.upperBound])
      }
      guard let piece = try await receive() else {
        throw WireError(reason: "ended before \(mark.debugDescription): \(unread)")
      }
      unread += String(decoding: piece, as: UTF8.self)
    }
  }
}

/// A parsed response.
package struct WireResponse: Sendable {
  package let status: Int
  package let head: String
  package let body: [UInt8]
  /// Whether the body was received up to its declared end.
  package let isComplete: Bool

  package init(_ bytes: [UInt8]) throws {
    let mark = Array("\r\n\r\n".utf8)
    guard
      let end = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }),
      let code = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ").dropFirst()
        .first.flatMap({ Int($0) })
    else {
      throw WireError(reason: "no head in \(String(decoding: bytes.prefix(200), as: UTF8.self))")
    }
    status = code
    head = String(decoding: bytes[..<end], as: UTF8.self)
    let rest = Array(bytes[(end + 4)...])
    if Self.field("Transfer-Encoding", in: head)?.lowercased() == "chunked" {
      (body, isComplete) = Self.joined(rest)
    } else {
      body = rest
      isComplete = Self.field("Content-Length", in: head).flatMap { Int($0) } ?? 0 <= rest.count
    }
  }

  /// The body as text, decompressed if it is gzipped.
  package var text: String {
    get throws {
      let plain =
        self["Content-Encoding"] == "gzip"
        ? try GzipDecoder.expand(body, limit: 1 << 28) : body
      return String(decoding: plain, as: UTF8.self)
    }
  }

  /// Returns the value of a header field.
  package subscript(name: String) -> String? { Self.field(name, in: head) }

  private static func field(_ name: String, in head: String) -> String? {
    let prefix = name.lowercased() + ":"
    return head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
      .map { $0.dropFirst(prefix.count).drop { $0 == " " } }.map(String.init)
  }

  /// Joins the chunks of a body (RFC 9112, section 7.1).
  private static func joined(_ bytes: [UInt8]) -> ([UInt8], Bool) {
    var result: [UInt8] = []
    var rest = bytes[...]
    while let lineEnd = rest.firstIndex(of: 0x0d) {
      let line = String(decoding: rest[..<lineEnd], as: UTF8.self)
      guard let size = Int(line, radix: 16) else { return (result, false) }
      rest = rest[min(lineEnd + 2, rest.endIndex)...]
      if size == 0 { return (result, true) }
      result += rest.prefix(size)
      guard rest.count >= size + 2 else { return (result, false) }
      rest = rest.dropFirst(size + 2)
    }
    return (result, false)
  }
}

package struct WireError: Error, CustomStringConvertible {
  package let reason: String

  package init(reason: String) { self.reason = reason }

  package var description: String { reason }
}
