import Foundation
import ProgramTesting
import Testing
import WireFormats

@testable import LocalCopy

/// The copy of a feed whose server violates the protocol. Each refresh ends with a report or a `LocalCopyError` that
/// names the feed but not its key. The rows stay unchanged or become those of the answer, and the next good answer is
/// accepted.
@Suite("Over HTTP, no answer of a feed does harm", .timeLimit(.minutes(20)))
struct HostileFeedTests {
  /// A clock whose delays between attempts have no length; deadlines use the system's clock.
  private struct ImpatientClock: TimeSource {
    private let system = SystemTime()
    var now: Date { system.now }
    var uptime: Duration { system.uptime }

    func sleep(for duration: Duration) async throws {
      if duration > .seconds(100) { try await system.sleep(for: duration) }
    }
  }

  private static let first = feed(["a": 1, "b": 2])
  private static let last = feed(["b": 3, "c": 4])
  private static let secret = "a-key-that-nobody-may-see"

  private static func check(
    _ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    // On a busy machine a good answer may come after the time-out, and the request is retried.
    let good = Array(repeating: Answer.json(200, last), count: 5)
    try await withAnswers([.json(200, first), answer] + good) { server in
      let address = "\(server.address)/feed.json"
      let store = MemoryStore()
      let source = try FeedSource("\(address)?key=\(secret)")
      // Its time-out is the usual one: on a busy machine, the second attempt of a short one would get the bad answer.
      let patient = try makeCopy(of: source, in: store, clock: ImpatientClock())
      _ = try await patient.refresh(force: true)
      let copy = try makeCopy(of: source, in: store, clock: ImpatientClock()) {
        $0.http.idleTimeout = .milliseconds(250)
        $0.http.totalDeadline = .seconds(110)
        $0.http.maximumDecodedBytes = 1 << 20
      }
      let before = store.contents
      do {
        _ = try await copy.refresh(force: true)
      } catch let error as LocalCopyError {
        #expect(error.source == address, "\(answer)", sourceLocation: sourceLocation)
        #expect(!"\(error)".contains(secret), "\(answer): \(error)", sourceLocation: sourceLocation)
        #expect(store.contents == before, "\(answer): \(error)", sourceLocation: sourceLocation)
      }
      #expect(!store.isWriting, "\(answer)", sourceLocation: sourceLocation)
      // If the request was retried, the good answer has already been used.
      if server.requests.count < 3 {
        _ = try await copy.refresh(force: true)
        #expect(server.requests.count >= 3, "\(answer)", sourceLocation: sourceLocation)
      }
      guard case .fresh = copy.state else {
        Issue.record("\(answer): \(copy.state)", sourceLocation: sourceLocation)
        return
      }
      #expect(
        store.rows["b"]?.value == 3 && store.rows["c"]?.value == 4, "\(answer): \(store.rows)",
        sourceLocation: sourceLocation)
    }
  }

  @Test("Bytes that are no answer, lengths and pauses beyond all numbers")
  func everyAnswer() async throws {
    #expect(HostileAnswers.all.count > 200)
    for answer in HostileAnswers.all { try await Self.check(answer) }
  }

  @Test("A good document with hostile headers") func everyHeader() async throws {
    for number in HostileNumber.inHeaders {
      for headers in [
        "Age: \(number)", "Cache-Control: max-age=\(number)",
        "Cache-Control: max-age=\(number), stale-while-revalidate=\(number)", "Expires: \(number)",
        "Date: \(number)\r\nAge: \(number)\r\nCache-Control: max-age=\(number)",
        "ETag: \(number)\r\nLast-Modified: \(number)",
        "ETag: \"\(number)\"\r\nETag: \(number)\r\nAge: 1\r\nAge: \(number)",
      ] {
        try await Self.check(
          .raw(
            "HTTP/1.1 200 OK\r\n\(headers)\r\nContent-Length: \(Self.first.utf8.count)\r\n"
              + "Connection: close\r\n\r\n\(Self.first)"))
      }
    }
  }

  @Test(
    "A good document with a validator that no request can have",
    arguments: ["ETag: \"a\u{1}b\"", "Last-Modified: Sun\u{7F}", "ETag: \u{1B}[2J"])
  func everyValidator(_ header: String) async throws {
    try await Self.check(
      .raw(
        "HTTP/1.1 200 OK\r\n\(header)\r\nContent-Length: \(Self.first.utf8.count)\r\n"
          + "Connection: close\r\n\r\n\(Self.first)"))
  }

  @Test("Documents with hostile numbers and shapes") func everyDocument() async throws {
    let answers = HostileAnswers.documents([
      #"{"items":[{"id":"a","value":#}]}"#, #"{"items":[{"id":#,"value":1}]}"#, #"{"items":[#]}"#,
      #"{"items":#}"#, #"{"other":#,"items":[{"id":"a","value":1}]}"#,
    ])
    for answer in answers { try await Self.check(answer) }
  }
}
