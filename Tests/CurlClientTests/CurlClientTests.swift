import Foundation
import ProgramTesting
import TestSupport
import Testing

@testable import CurlClient

@Suite("Requests over HTTP", .timeLimit(.minutes(20)))
struct CurlClientTests {
  private func ask(
    _ answer: Answer, _ change: @Sendable (inout CurlRequest) -> Void = { _ in }
  ) async throws -> (response: CurlResponse, body: [UInt8], request: String) {
    try await withAnswers([answer]) { server in
      var request = CurlRequest(server.address + "/path?query=1")
      change(&request)
      let response = try await CurlClient().send(request)
      let body = try await response.body.collect(upTo: 1 << 30)
      return (response, try #require(body), try #require(server.requests.first))
    }
  }

  private func error(
    _ answer: Answer, _ change: @Sendable (inout CurlRequest) -> Void = { _ in }
  ) async throws -> CurlError {
    let error = await #expect(throws: CurlError.self) { try await ask(answer, change) }
    return try #require(error)
  }

  @Test("have the status, the reason, the fields and the body of their response")
  func response() async throws {
    let (response, body, _) = try await ask(
      .raw(
        "HTTP/1.1 203 Not The Origin\r\nETag: \"a\"\r\nVary: accept, Origin\r\nvary:\tcookie \r\n"
          + "X-Empty:\r\nX-Folded: one\r\n  two\r\nContent-Length: 5\r\n\r\nHello"))
    #expect(response.status == 203)
    #expect(response.reason == "Not The Origin")
    #expect(response.fields.first("etag") == "\"a\"")
    #expect(response.fields.list("VARY") == ["accept", "Origin", "cookie"])
    #expect(response.fields["x-empty"] == [""])
    #expect(response.fields["x-folded"] == ["one two"])
    #expect(String(decoding: body, as: UTF8.self) == "Hello")
  }

  @Test("send their method, fields and content, and nothing of the library's own")
  func request() async throws {
    let (_, _, text) = try await ask(.json(200, "{}")) {
      $0.method = "PATCH"
      $0.fields = ["X-One": "1", "X-Empty": ""]
      $0.body = Array("content".utf8)
    }
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines[0] == "PATCH /path?query=1 HTTP/1.1")
    #expect(
      Set(lines[1...].map { $0.prefix { $0 != ":" } }).subtracting(["Host"]) == [
        "X-One", "X-Empty", "Content-Length", "", "content",
      ])
    #expect(lines.contains("X-One: 1"))
    #expect(text.hasSuffix("\r\n\r\ncontent"))
  }

  @Test("have a length of zero with an empty content, and no length without one")
  func emptyContent() async throws {
    let empty = try await ask(.json(200, "{}")) {
      $0.method = "POST"
      $0.body = []
    }
    #expect(empty.request.contains("Content-Length: 0\r\n"))
    let none = try await ask(.json(200, "{}")) { $0.method = "DELETE" }
    #expect(none.request.hasPrefix("DELETE /path"))
    #expect(!none.request.contains("Content-Length"))
  }

  @Test("skip preliminary responses, and fields after the body")
  func otherFields() async throws {
    let (response, body, _) = try await ask(
      .raw(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nX-Kept: 1\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Trailer: 2\r\n\r\n"))
    #expect(response.status == 200)
    #expect(response.fields["link"].isEmpty)
    #expect(response.fields["x-kept"] == ["1"])
    #expect(response.fields["x-trailer"].isEmpty)
    #expect(body == Array("abc".utf8))
  }

  @Test("follow no redirect, and store no cookie") func redirect() async throws {
    let response = try await ask(.redirect("/elsewhere")).response
    #expect(response.status == 307)
    #expect(response.fields.first("location") == "/elsewhere")
  }

  @Test("decompress nothing") func compressed() async throws {
    let (response, body, _) = try await ask(
      .raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"))
    #expect(response.fields.list("content-encoding") == ["gzip"])
    #expect(body == Array("abc".utf8))
  }

  @Test(
    "that can't be sent are refused",
    arguments: [
      CurlRequest("ftp://127.0.0.1/"), CurlRequest("file:///etc/passwd"), CurlRequest(""),
      CurlRequest("http:///path"), CurlRequest("http://127.0.0.1/\r\nX: 1"),
    ])
  func invalidAddress(request: CurlRequest) async throws {
    let error = await #expect(throws: CurlError.self) { try await CurlClient().send(request) }
    #expect(error?.code == .invalidRequest)
  }

  @Test(
    "with fields that would become several are refused",
    arguments: [
      ("X", "a\r\nInjected: 1"), ("X\r\nInjected", "1"), ("X Y", "1"), ("", "1"), ("X", "a\u{0}b"),
      ("X:", "1"),
    ])
  func invalidField(name: String, value: String) async throws {
    var request = CurlRequest("http://127.0.0.1:1/")
    request.fields.add(name, value)
    let error = await #expect(throws: CurlError.self) { try await CurlClient().send(request) }
    #expect(error?.code == .invalidRequest)
    var method = CurlRequest("http://127.0.0.1:1/")
    method.method = "GET / HTTP/1.1\r\nX: 1\r\n\r\n"
    let second = await #expect(throws: CurlError.self) { try await CurlClient().send(method) }
    #expect(second?.code == .invalidRequest)
  }

  @Test("to a port where nothing listens fail unsent") func refused() async throws {
    let port = try SilentPort()
    let error = await #expect(throws: CurlError.self) {
      try await CurlClient().send(CurlRequest(port.url.absoluteString))
    }
    #expect(error?.code == .unreachable)
    #expect(error?.isUnsent == true)
    #expect(error?.message.contains("127.0.0.1") == true)
  }

  @Test("to what doesn't speak HTTP fail", arguments: ["220 mail.example.org ESMTP\r\n", "{}"])
  func otherProtocol(text: String) async throws {
    #expect(try await error(.raw(text)).code == .notHTTP)
  }

  @Test("without an answer fail, and count as sent") func hungUp() async throws {
    let error = try await error(.nothing)
    #expect(error.code == .closed)
    #expect(!error.isUnsent)
  }

  @Test(
    "whose response ends early fail",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ])
  func cut(text: String) async throws {
    #expect(try await error(.raw(text)).code == .closed)
  }

  @Test("give the bytes before the connection was cut") func bytesBeforeTheCut() async throws {
    try await withAnswers([.raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")]) { server in
      let body = try await CurlClient().send(CurlRequest(server.address)).body
      var bytes: [UInt8] = []
      let error = await #expect(throws: CurlError.self) {
        while let piece = try await body.next() { bytes += piece }
      }
      #expect(error?.code == .closed)
      #expect(bytes == Array("abc".utf8))
    }
  }

  @Test("with a head that is too large say so", arguments: [1, 2_000, 400_000])
  func largeHead(size: Int) async throws {
    let field = "X-Long: " + String(repeating: "x", count: size) + "\r\n"
    let head = "HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 400_000 / size)
    #expect(try await error(.raw(head)).code == .headTooLarge)
  }

  @Test(
    "that wait too long for the server end",
    arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
  func idle(text: String) async throws {
    let idle = try await error(.stall(text)) { $0.idleTimeout = .milliseconds(50) }
    #expect(idle.code == .idleTimeout)
    #expect(!idle.isUnsent)
    let total = try await error(.stall(text)) { $0.totalTimeout = .milliseconds(50) }
    #expect(total.code == .totalTimeout)
  }

  @Test("to an address that doesn't answer end after the time for a connection")
  func connectTimeout() async throws {
    let port = try SilentPort(isFull: true)
    var request = CurlRequest(port.url.absoluteString)
    request.connectTimeout = .milliseconds(50)
    let error = await #expect(throws: CurlError.self) { try await CurlClient().send(request) }
    #expect(error?.code == .connectTimeout)
    #expect(error?.isUnsent == true)
  }

  @Test("to a name that isn't known fail unsent") func unknownName() async throws {
    let error = await #expect(throws: CurlError.self) {
      try await CurlClient().send(CurlRequest("http://nothing.invalid/"))
    }
    #expect(error?.code == .unreachable || error?.code == .connectTimeout)
    #expect(error?.isUnsent == true)
  }

  @Test(
    "to a server whose certificate nobody knows fail unsent",
    .enabled(if: TLSServer.canRun, "needs the program openssl"))
  func unknownCertificate() async throws {
    try await withTemporaryFolder { folder in
      let server = try await TLSServer(in: folder)
      let error = await #expect(throws: CurlError.self) {
        try await CurlClient().send(CurlRequest(server.address + "/"))
      }
      #expect(error?.code == .unreachable)
      #expect(error?.isUnsent == true)
      #expect(error?.message.contains("certificate") == true)
    }
  }

  // MARK: Cancellation

  @Test("end when their task is cancelled before, or while they wait for the head")
  func cancelled() async throws {
    try await withAnswers([.stall(""), .stall("")]) { server in
      let client = CurlClient()
      for early in [true, false] {
        let task = Task { try await client.send(CurlRequest(server.address)) }
        if !early { while server.requests.isEmpty { await Task.yield() } }
        task.cancel()
        let error = await #expect(throws: CurlError.self) { try await task.value }
        #expect(error?.code == .cancelled)
      }
    }
  }

  @Test("end when their task is cancelled while it waits for the body")
  func cancelledBody() async throws {
    try await withAnswers([.stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")]) { server in
      let body = try await CurlClient().send(CurlRequest(server.address)).body
      #expect(try await body.next() == Array("abc".utf8))
      let task = Task { try await body.next() }
      task.cancel()
      let error = await #expect(throws: CurlError.self) { try await task.value }
      #expect(error?.code == .cancelled)
      // The transfer has ended, not only the wait.
      let again = await #expect(throws: CurlError.self) { try await body.next() }
      #expect(again?.code == .cancelled)
    }
  }

  // MARK: Large bodies

  @Test("read more than their buffer holds, at the reader's pace") func large() async throws {
    let text = String(repeating: "0123456789abcdef", count: 1 << 18)
    let answer = Answer.raw("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n" + text)
    try await withAnswers([answer]) { server in
      var request = CurlRequest(server.address)
      request.idleTimeout = .seconds(30)
      let body = try await CurlClient().send(request).body
      var bytes: [UInt8] = []
      var largest = 0
      while let piece = try await body.next() {
        largest = max(largest, piece.count)
        bytes += piece
        await Task.yield()
      }
      #expect(bytes == Array(text.utf8))
      #expect(largest <= 512 * 1024)
    }
  }

  @Test("that are larger than a limit are given up") func limit() async throws {
    try await withAnswers([.json(200, String(repeating: "x", count: 100_000))]) { server in
      let body = try await CurlClient().send(CurlRequest(server.address)).body
      #expect(try await body.collect(upTo: 99_999) == nil)
    }
  }

  @Test("send contents of several megabytes") func upload() async throws {
    let content = String(repeating: "0123456789abcdef", count: 1 << 17)
    let request = try await ask(.json(200, "{}")) {
      $0.method = "PUT"
      $0.body = Array(content.utf8)
    }.request
    #expect(request.hasSuffix(content))
    #expect(!request.lowercased().contains("expect:"))
  }

  // MARK: Several requests

  @Test("of one client run at the same time") func atOnce() async throws {
    let count = 50
    try await withAnswers((0..<count).map { .json(200, "[\($0)]") }) { server in
      let client = CurlClient()
      let bodies = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<count {
          group.addTask {
            let body = try await client.send(CurlRequest(server.address)).body.collect(upTo: 100)
            return String(decoding: try #require(body), as: UTF8.self)
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(bodies == Set((0..<count).map { "[\($0)]" }))
    }
  }

  @Test("of one client use a connection again") func keptConnection() async throws {
    let kept = Answer.kept("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    try await withAnswers([kept, kept, .nothing]) { server in
      let client = CurlClient()
      for _ in 0..<2 {
        let body = try await client.send(CurlRequest(server.address)).body
        #expect(try await body.collect(upTo: 9) == Array("{}".utf8))
      }
      #expect(server.connections == 1)
      // The server hangs up instead of answering: on a connection that was used before, the library sends it again.
      let error = await #expect(throws: CurlError.self) {
        try await client.send(CurlRequest(server.address))
      }
      #expect(error?.code == .closed)
      #expect(error?.isUnsent == false)
      #expect(server.connections == 2)
      #expect(server.requests.count == 4)
    }
  }

  @Test("count as sent when only their repetition met no server") func repeated() async throws {
    let kept = Answer.kept("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    try await withAnswers([kept, .end]) { server in
      let client = CurlClient()
      let body = try await client.send(CurlRequest(server.address)).body
      #expect(try await body.collect(upTo: 9) == Array("{}".utf8))
      var push = CurlRequest(server.address)
      push.method = "POST"
      push.body = Array("{}".utf8)
      let error = await #expect(throws: CurlError.self) { try await client.send(push) }
      #expect(error?.code == .unreachable)
      #expect(error?.isUnsent == false)
      #expect(server.requests.count == 2)
    }
  }

  @Test("whose responses nobody reads are given up") func dropped() async throws {
    let answer = Answer.stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
    try await withAnswers(Array(repeating: answer, count: 20) + [.json(200, "{}")]) { server in
      let client = CurlClient()
      // More than there may be connections to one server.
      for _ in 0..<20 { _ = try await client.send(CurlRequest(server.address)) }
      #expect(try await client.send(CurlRequest(server.address)).status == 200)
    }
  }
}
