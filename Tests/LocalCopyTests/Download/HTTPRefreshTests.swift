import Foundation
import Synchronization
import Testing

@testable import LocalCopy

@Suite("A refresh over HTTP sends only the necessary requests", .timeLimit(.minutes(20)))
struct HTTPRefreshTests {
  @Test("A repeated refresh reports what changed") func counts() async throws {
    let store = MemoryStore()
    let second = feed(["a": 1, "b": 3, "c": nil], extra: #","metadata":{"count":3}"#)
    try await TestServer.run { _, number in
      .json(number == 1 ? feed(["a": 1, "b": 2]) : second)
    } _: { server in
      let copy = try makeCopy(of: FeedSource(server.url), in: store)
      let first = try await copy.refresh(force: false)
      #expect(first.received == 2 && first.inserted == 2 && first.attempts == 1)
      let report = try await copy.refresh(force: false)
      #expect(report.received == 3)
      #expect(report.inserted == 1 && report.updated == 1 && report.unchanged == 1)
      #expect(report.bytesReceived == second.utf8.count)
      #expect(report.bytesDecoded == second.utf8.count)
      #expect(!report.notModified)
      #expect(store.rows["b"]?.value == 3)
      #expect(copy.lastReport == report)
    }
  }

  @Test("Validators go with the next request, also after a restart; 304 keeps the copy")
  func conditionalRequests() async throws {
    let store = MemoryStore()
    let stamp = "Sun, 04 May 2025 13:52:55 GMT"
    try await TestServer.run { request, _ in
      let headers = ["etag": "\"v1\"", "last-modified": stamp]
      let isCurrent =
        request.headers.first(name: "if-none-match") == "\"v1\""
        && request.headers.first(name: "if-modified-since") == stamp
      return isCurrent
        ? Reply(status: 304, headers: headers) : .json(feed(["a": 1]), headers: headers)
    } _: { server in
      let clock = VirtualClock()
      _ = try await makeCopy(of: FeedSource(server.url), in: store, clock: clock)
        .refresh(force: false)
      clock.advance(by: .seconds(1000))
      let restarted = try makeCopy(of: FeedSource(server.url), in: store, clock: clock)
      #expect(restarted.state == .stale(since: clock.now.addingTimeInterval(-1000)))
      let report = try await restarted.refresh(force: false)
      #expect(report.notModified && report.attempts == 1 && report.received == 0)
      #expect(report.validators == FeedValidators(entityTag: "\"v1\"", lastModified: stamp))
      #expect(restarted.state == .fresh(since: clock.now))
      #expect(store.rows.count == 1)
      // The next copy still has them: a 304 does not drop validators.
      #expect(try await restarted.refresh(force: true).notModified)
    }
  }

  @Test("Validators go only to the address that they are of, which the feed may redirect to")
  func validatorsOfAnotherAddress() async throws {
    let store = MemoryStore()
    let current = Mutex("/2.json")
    try await TestServer.run { request, number in
      let known = request.headers.first(name: "if-modified-since")
      switch request.uri.prefix(while: { $0 != "?" }) {
      case "/1.json", "/2.json":
        // The first edition is an hour older than the second.
        let hour = request.uri.hasPrefix("/1") ? "13" : "14"
        let stamp = "Sun, 04 May 2025 \(hour):52:55 GMT"
        if let known, known >= stamp { return Reply(status: 304) }
        return .json(feed(["a": hour == "13" ? 1 : 2]), headers: ["last-modified": stamp])
      default:
        let path = current.withLock { $0 }
        return Reply(status: 302, headers: ["location": "\(path)?signature=\(number)"])
      }
    } _: { server in
      func copy() throws -> ItemCopy { try makeCopy(of: FeedSource(server.url), in: store) }
      #expect(try await copy().refresh(force: true).inserted == 1)
      #expect(try await copy().refresh(force: true).notModified)
      #expect(try await copy().refresh(force: true).notModified)
      // Back to the edition before.
      current.withLock { $0 = "/1.json" }
      let report = try await copy().refresh(force: true)
      #expect(!report.notModified && report.updated == 1)
      #expect(store.rows["a"]?.value == 1)
      #expect(try await copy().refresh(force: true).notModified)
      let first = server.requests.filter { $0.uri == "/feed.json" }
      #expect(first.count == 5 && server.requests.count == 10)
      #expect(first.allSatisfy { !$0.headers.contains(name: "if-modified-since") })
      for data in store.contents.metadata.values {
        #expect(!String(decoding: data, as: UTF8.self).contains("signature"))
      }
    }
  }

  @Test(
    "After a change of the mapping or of the model, an unchanged document is loaded once more",
    arguments: [1, nil])
  func otherForm(revision: Int?) async throws {
    let store = MemoryStore()
    try await TestServer.run { request, _ in
      let headers = ["etag": "\"v1\"", "cache-control": "max-age=600"]
      return request.headers.first(name: "if-none-match") == "\"v1\""
        ? Reply(status: 304, headers: headers) : .json(feed(["a": 1]), headers: headers)
    } _: { server in
      func copy(isChanged: Bool) throws -> ItemCopy {
        try makeCopy(of: FeedSource(server.url), in: store) {
          $0.revision = isChanged ? revision ?? 0 : 0
          $0.properties =
            isChanged && revision == nil ? ["id", "other", "value"] : ["id", "value"]
        } map: {
          Item(id: $0.id, value: isChanged ? 2 : $0.value)
        }
      }
      _ = try await copy(isChanged: false).refresh(force: false)
      #expect(try await copy(isChanged: false).refresh(force: true).notModified)
      let changed = try copy(isChanged: true)
      #expect(try await !changed.refresh(force: false).notModified)
      #expect(store.rows.values.map(\.value) == [2])
      #expect(try await copy(isChanged: true).refresh(force: true).notModified)
      #expect(server.requests.count == 4)
    }
  }

  @Test("Within the freshness that the server grants, no request is sent unless forced")
  func freshness() async throws {
    try await TestServer.run { _, _ in
      .json(feed(["a": 1]), headers: ["cache-control": "public, max-age=60", "age": "10"])
    } _: { server in
      let clock = VirtualClock()
      let store = MemoryStore()
      let copy = try makeCopy(of: FeedSource(server.url), in: store, clock: clock)
      #expect(try await copy.refresh(force: false).attempts == 1)
      clock.advance(by: .seconds(49))
      let skipped = try await copy.refresh(force: false)
      #expect(skipped.attempts == 0 && skipped.notModified)
      #expect(copy.state == .fresh(since: clock.now))
      let restarted = try makeCopy(of: FeedSource(server.url), in: store, clock: clock)
      #expect(try await restarted.refresh(force: false).attempts == 0)
      #expect(server.requests.count == 1)
      #expect(try await copy.refresh(force: true).attempts == 1)
      clock.advance(by: .seconds(51))
      #expect(try await copy.refresh(force: false).attempts == 1)
      #expect(server.requests.count == 3)
    }
  }

  @Test("no-store forbids to remember validators") func noStore() async throws {
    try await TestServer.run { _, _ in
      .json(feed(["a": 1]), headers: ["cache-control": "no-store, max-age=60", "etag": "\"x\""])
    } _: { server in
      let copy = try makeCopy(of: FeedSource(server.url), in: MemoryStore())
      #expect(try await copy.refresh(force: false).validators.isEmpty)
      #expect(try await copy.refresh(force: false).attempts == 1)
      #expect(server.requests.last?.headers.contains(name: "if-none-match") == false)
    }
  }

  @Test(
    "Retry-After is waited for, by the clock", arguments: ["7", "Sun, 04 May 2025 13:53:02 GMT"])
  func retryAfter(header: String) async throws {
    try await TestServer.run { _, number in
      number == 1
        ? Reply(status: 429, headers: ["retry-after": header]) : .json(feed(["a": 1]))
    } _: { server in
      let clock = VirtualClock()
      let copy = try makeCopy(of: FeedSource(server.url), in: MemoryStore(), clock: clock)
      async let report = copy.refresh(force: false)
      await clock.waitForSleeper(.seconds(7) ... .seconds(8))
      #expect(server.requests.count == 1)
      clock.advance(by: .seconds(8))
      #expect(try await report.attempts == 2)
    }
  }

  @Test("A pause longer than the policy is an error with its length") func longPause()
    async throws
  {
    try await TestServer.run { _, _ in
      Reply(status: 503, headers: ["retry-after": "3600"])
    } _: { server in
      let copy = try makeCopy(of: FeedSource(server.url), in: MemoryStore())
      let error = await #expect(throws: LocalCopyError.self) {
        try await copy.refresh(force: false)
      }
      #expect(error?.code == .throttled)
      #expect(error?.retryAfter == 3600)
      #expect(server.requests.count == 1)
    }
  }

  @Test(
    "A gzip body is inflated, labelled or not, and both sizes are reported",
    arguments: [true, false])
  func gzipBody(isLabelled: Bool) async throws {
    let document = feed(["a": 1, "b": 2, "c": 3, "d": 4])
    let packed = try gzip(Array(document.utf8))
    let pieces = packed.map { [$0] }
    try await TestServer.run { request, _ in
      #expect(request.headers.first(name: "accept-encoding") == "gzip")
      return Reply(headers: isLabelled ? ["content-encoding": "gzip"] : [:], pieces: pieces)
    } _: { server in
      let copy = try makeCopy(of: FeedSource(server.url), in: MemoryStore())
      let report = try await copy.refresh(force: false)
      #expect(report.inserted == 4)
      #expect(report.bytesReceived == packed.count)
      #expect(report.bytesDecoded == document.utf8.count)
    }
  }

  @Test("A redirect is followed; own headers stay with the own host") func redirect() async throws {
    try await TestServer.run { request, _ in
      #expect(request.headers.first(name: "authorization") == nil)
      return .json(feed(["a": 1]))
    } _: { other in
      let target = other.url("/moved").absoluteString
      try await TestServer.run { request, _ in
        #expect(request.headers.first(name: "authorization") == "Bearer key")
        return request.uri == "/feed.json"
          ? Reply(status: 301, headers: ["location": "/second"])
          : Reply(status: 307, headers: ["location": target])
      } _: { server in
        let copy = try makeCopy(of: FeedSource(server.url), in: MemoryStore()) {
          $0.http.headers = ["Authorization": "Bearer key"]
        }
        #expect(try await copy.refresh(force: false).inserted == 1)
        #expect(server.requests.map(\.uri) == ["/feed.json", "/second"])
        #expect(other.requests.map(\.uri) == ["/moved"])
      }
    }
  }
}
