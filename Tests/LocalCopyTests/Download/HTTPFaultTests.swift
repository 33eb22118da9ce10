import Foundation
import ProgramTesting
import Testing
import WireFormats

@testable import LocalCopy

@Suite("Over HTTP, each fault leaves the copy whole and is named", .timeLimit(.minutes(20)))
struct HTTPFaultTests {
  static let good = feed(["a": 1, "b": 2])

  /// Fills a store with a good answer, then refreshes with the given one.
  private func failure(
    _ reply: Reply, attempts: Int = 1, deadline: Duration = .seconds(120)
  ) async throws -> (error: LocalCopyError, requests: Int) {
    let store = MemoryStore()
    return try await TestServer.run { request, number in
      number == 1 ? .json(Self.good) : reply
    } _: { server in
      let clock = VirtualClock()
      let copy = try makeCopy(of: FeedSource(server.url), in: store, clock: clock) {
        $0.http.retry.maximumAttempts = attempts
        $0.http.retry.baseDelay = .zero
        $0.http.totalDeadline = deadline
      }
      #expect(try await copy.refresh(force: true).inserted == 2)
      let before = store.contents
      let error = await #expect(throws: LocalCopyError.self) {
        // Delays have no length here: no time need pass before a retry.
        async let report = copy.refresh(force: true)
        for _ in 1..<attempts {
          await clock.waitForSleeper(.zero ... .seconds(1))
          clock.advance(by: .zero)
        }
        return try await report
      }
      #expect(store.contents == before)
      #expect(!store.isWriting)
      #expect(store.commits == 1)
      let thrown = try #require(error)
      #expect(thrown.source == "http://127.0.0.1:\(server.port)/feed.json")
      guard case .offline(thrown, _, let lastGood) = copy.state else {
        Issue.record("\(copy.state)")
        return (thrown, server.requests.count - 1)
      }
      #expect(lastGood == clock.now)
      return (thrown, server.requests.count - 1)
    }
  }

  @Test("A status that is no success", arguments: [400, 401, 404, 409, 410, 204, 206, 304, 418])
  func permanentStatus(status: Int) async throws {
    let (error, requests) = try await failure(Reply(status: status), attempts: 1)
    #expect(error.code == .httpStatus)
    #expect(error.httpStatus == status)
    #expect(requests == 1)
  }

  @Test("The error has the beginning of what the server says, also compressed")
  func answerOfARefusal() async throws {
    let text = "Error 400: Bad Request\n\n23842 matching events exceeds search limit of 20000."
    var reply = Reply(
      status: 400, headers: ["content-type": "text/plain"], pieces: [Array(text.utf8)])
    #expect(try await failure(reply).error.answer == text)
    reply.pieces = [try gzip(Array(text.utf8))]
    reply.headers["content-encoding"] = "gzip"
    #expect(try await failure(reply).error.answer == text)
    reply.pieces = [[0x1F, 0x8B, 0, 0]]
    #expect(try await failure(reply).error.answer == nil)
    reply = Reply(
      status: 404, headers: ["content-type": "text/plain; charset=utf-8"],
      pieces: (0..<100).map { _ in Array(repeating: 0x61, count: 1_000) })
    #expect(try await failure(reply).error.answer?.count == 2_000)
    reply.ending = .cut
    #expect(try await failure(reply).error.httpStatus == 404)
    reply.headers = ["content-type": "text/html"]
    #expect(try await failure(reply).error.answer == nil)
  }

  @Test("A failing server is asked again, then given up", arguments: [500, 502, 503, 504, 408])
  func transientStatus(status: Int) async throws {
    let (error, requests) = try await failure(Reply(status: status), attempts: 3)
    #expect(error.httpStatus == status)
    #expect(requests == 3)
  }

  @Test("A permanent failure is not repeated") func permanentIsNotRepeated() async throws {
    let store = MemoryStore()
    try await TestServer.run { _, _ in
      Reply(status: 404)
    } _: { server in
      let copy = try makeCopy(of: FeedSource(server.url), in: store)
      await #expect(throws: LocalCopyError.self) { try await copy.refresh(force: false) }
      #expect(server.requests.count == 1)
    }
  }

  @Test("A body shorter than announced is cut") func truncatedBody() async throws {
    let bytes = Array(Self.good.utf8)
    let reply = Reply(
      headers: ["content-length": "\(bytes.count)"], pieces: [Array(bytes.dropLast(9))],
      ending: .cut)
    let (error, requests) = try await failure(reply, attempts: 2)
    #expect(error.code == .truncated)
    #expect(requests == 2)
  }

  @Test("The rest of a body that is longer than announced isn't taken for the next answer")
  func overlongBody() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: "
    let (good, length) = (Self.good, Self.good.utf8.count)
    let short = Answer.overlong(
      "\(head)\(length - 3)\r\n\r\n\(good.dropLast(3))", rest: String(good.suffix(3)))
    try await withAnswers([short, .kept("\(head)\(length)\r\n\r\n\(good)")]) { server in
      let copy = try makeCopy(
        of: FeedSource(server.address), in: MemoryStore(), clock: SystemTime()
      ) {
        $0.http.retry.maximumAttempts = 2
        $0.http.retry.baseDelay = .zero
      }
      let report = try await copy.refresh(force: false)
      #expect(report.inserted == 2 && report.attempts == 2)
      #expect(server.connections == 2)
    }
  }

  @Test("A chunked body without its end is cut") func cutChunks() async throws {
    let reply = Reply(pieces: [Array(Self.good.utf8)], ending: .cut)
    #expect(try await failure(reply).error.code == .truncated)
  }

  @Test("A document that ends early inside a whole body is truncated")
  func truncatedDocument() async throws {
    let (error, requests) = try await failure(.json(String(Self.good.dropLast(2))), attempts: 2)
    #expect(error.code == .truncated)
    #expect(requests == 2)
  }

  @Test("A body labelled gzip that isn't") func wrongGzip() async throws {
    let reply = Reply.json(Self.good, headers: ["content-encoding": "gzip"])
    #expect(try await failure(reply).error.code == .compressionInvalid)
  }

  @Test("Gzip with a damaged checksum") func damagedGzip() async throws {
    var bytes = try gzip(Array(Self.good.utf8))
    bytes[bytes.count - 6] ^= 0xFF
    let reply = Reply(headers: ["content-encoding": "gzip"], pieces: [bytes])
    #expect(try await failure(reply).error.code == .compressionInvalid)
  }

  @Test("Gzip without its end") func cutGzip() async throws {
    let bytes = try gzip(Array(Self.good.utf8))
    let reply = Reply(headers: ["content-encoding": "gzip"], pieces: [Array(bytes.dropLast(8))])
    #expect(try await failure(reply).error.code == .truncated)
  }

  @Test("A field in the answer's head that is too long") func longField() async throws {
    let reply = Reply.json(
      Self.good, headers: ["x-long": String(repeating: "x", count: 200_000)])
    let error = try await failure(reply).error
    #expect(error.code == .limitExceeded)
    #expect(error.reason.contains("head"))
  }

  @Test("An encoding that was not asked for", arguments: ["br", "gzip, gzip"])
  func foreignEncoding(labels: String) async throws {
    let reply = Reply.json(Self.good, headers: ["content-encoding": labels])
    let error = try await failure(reply).error
    #expect(error.code == .compressionInvalid)
    #expect(error.reason.contains("“\(labels)”"))
  }

  @Test("A gzip bomb is stopped by the ratio") func gzipBomb() async throws {
    let spaces = [UInt8](repeating: 0x20, count: 8 << 20)
    let reply = Reply(headers: ["content-encoding": "gzip"], pieces: [try gzip(spaces, level: 9)])
    let error = try await failure(reply).error
    #expect(error.code == .limitExceeded)
    #expect(error.reason.contains("inflates"))
  }

  @Test("Malformed JSON after good elements") func malformedDocument() async throws {
    let document = #"{"items":[{"id":"c","value":9},{"id":"d","value":01}]}"#
    let (error, requests) = try await failure(.json(document), attempts: 1)
    #expect(error.code == .malformedDocument)
    #expect(error.path?.description == "$.items[1].value")
    #expect(requests == 1)
  }

  @Test("HTML instead of JSON") func html() async throws {
    let reply = Reply.json("<!DOCTYPE html><p>Sign in", headers: ["content-type": "text/html"])
    let error = try await failure(reply).error
    #expect(error.code == .notJSON)
    #expect(error.description.contains("HTML"))
  }

  @Test("A redirect in a circle") func redirectCircle() async throws {
    let reply = Reply(status: 302, headers: ["location": "/feed.json"])
    #expect(try await failure(reply).error.code == .redirectRefused)
  }

  @Test("A redirect to a file") func redirectToFile() async throws {
    let reply = Reply(status: 301, headers: ["location": "file:///etc/passwd"])
    #expect(try await failure(reply).error.code == .redirectRefused)
  }

  @Test("A server that never finishes is left at the total deadline") func slowDrip() async throws {
    let store = MemoryStore()
    try await TestServer.run { _, _ in
      Reply(pieces: [Array(#"{"items":[{"id":"a"},"#.utf8)], ending: .hang)
    } _: { server in
      let clock = VirtualClock()
      let copy = try makeCopy(of: FeedSource(server.url), in: store, clock: clock)
      async let outcome = Result { try await copy.refresh(force: false) }
      await server.waitForRequests(1)
      await clock.waitForSleeper(.seconds(120) ... .seconds(120))
      clock.advance(by: .seconds(120))
      let error = try #require(await outcome.error as? LocalCopyError)
      #expect(error.code == .timedOut)
      #expect(store.rows.isEmpty)
      #expect(!store.isWriting)
    }
  }

  @Test("No server at all") func refusedConnection() async throws {
    let port = try SilentPort()
    let copy = try makeCopy(of: FeedSource(port.url), in: MemoryStore()) {
      $0.http.retry.maximumAttempts = 1
    }
    let error = await #expect(throws: LocalCopyError.self) { try await copy.refresh(force: false) }
    #expect(error?.code == .connectionFailed)
    withExtendedLifetime(port) {}
  }
}

extension Result where Failure == any Error {
  /// Creates the result of an asynchronous function.
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
