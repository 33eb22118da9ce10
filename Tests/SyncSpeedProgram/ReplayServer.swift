import Foundation
import Glibc
import SwiftDataSync
import Synchronization

/// A server on loopback that only sends recorded pages and accepts all pushes.
///
/// It uses one thread and blocking calls, for one connection at a time: the client waits for all of its work.
final class ReplayServer: Sendable {
  /// The pages by the cursor of their request; the key of the first page is empty.
  private let pages: [String: Data]
  private let listener: Int32
  let port: UInt16
  private let busy = Mutex(Duration.zero)

  init(_ pages: [String: Data]) throws {
    self.pages = pages
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(listener, generic, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, generic, &length) == 0
      }
    }
    guard bound else { throw SpeedProgram.Failure("no port on loopback: errno \(errno)") }
    port = UInt16(bigEndian: address.sin_port)
    let thread = Thread { [self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        serve(connection)
        close(connection)
      }
    }
    thread.start()
  }

  /// The time spent on answers to pushes.
  var time: Duration { busy.withLock { $0 } }

  private func serve(_ connection: Int32) {
    var received: [UInt8] = []
    while let end = head(&received, connection) {
      let head = String(decoding: received[..<end], as: UTF8.self)
      received.removeFirst(end)
      let length = head.split(separator: "\r\n").lazy
        .first { $0.lowercased().hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
      while received.count < length ?? 0 { guard read(&received, connection) else { return } }
      let clock = ContinuousClock()
      let start = clock.now
      let answer = self.answer(head, received[..<(length ?? 0)])
      if length != nil { busy.withLock { $0 += clock.now - start } }
      received.removeFirst(length ?? 0)
      let status = answer == nil ? "404 Not Found" : "200 OK"
      let body = answer ?? Data()
      let line = "HTTP/1.1 \(status)\r\ncontent-length: \(body.count)\r\n\r\n"
      guard write(Data(line.utf8), connection), write(body, connection) else { return }
    }
  }

  private func answer(_ head: String, _ body: ArraySlice<UInt8>) -> Data? {
    let target = head.split(separator: " ", maxSplits: 2).dropFirst().first ?? ""
    if target.hasPrefix("/push") {
      guard let (_, changes) = try? SyncContract.parsePushRequest(body) else { return nil }
      let version: Int64 = 1 << 40
      return Data(
        SyncContract.pushAnswer(
          Dictionary(uniqueKeysWithValues: changes.map { ($0.id, .accepted(version: version)) })))
    }
    let cursor = String(target.split(separator: "cursor=", maxSplits: 1).dropFirst().first ?? "")
    // After the last page there are no changes.
    return pages[cursor]
      ?? Data(SyncContract.page(SyncPage(changes: [], cursor: cursor, hasMore: false)))
  }

  /// Reads up to the end of a request's head, and returns its position.
  private func head(_ received: inout [UInt8], _ connection: Int32) -> Int? {
    while true {
      if let end = received.firstRange(of: [13, 10, 13, 10]) { return end.upperBound }
      guard read(&received, connection) else { return nil }
    }
  }

  private func read(_ received: inout [UInt8], _ connection: Int32) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    let count = recv(connection, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    received.append(contentsOf: buffer[..<count])
    return true
  }

  private func write(_ data: Data, _ connection: Int32) -> Bool {
    data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = send(
          connection, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
          Int32(MSG_NOSIGNAL))
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }
}
