import Foundation
import Testing

@testable import LocalCopy

/// Two copies of one store behave to each other like two processes.
@Suite("Several processes keep one copy", .timeLimit(.minutes(20)))
struct SharedCopyTests {
  @Test("The refresh of another process is adopted: state, report, and no second request")
  func takenOver() async throws {
    try await TestServer.run { _, _ in
      .json(feed(["a": 1]), headers: ["cache-control": "max-age=60"])
    } _: { server in
      let clock = VirtualClock()
      let store = MemoryStore()
      let source = try FeedSource(server.url)
      let ours = try makeCopy(of: source, in: store, clock: clock)
      let theirs = try makeCopy(of: source, in: store, clock: clock)
      var states = ours.states().makeAsyncIterator()
      #expect(await states.next() == .empty)
      _ = try await theirs.refresh(force: false)
      #expect(try ours.catchUp())
      #expect(await states.next() == .fresh(since: clock.now))
      #expect(ours.lastReport?.inserted == 1)
      #expect(try !ours.catchUp())
      #expect(try await ours.refresh(force: false).attempts == 0)
      #expect(server.requests.count == 1)
      #expect(try !ours.catchUp())
    }
  }

  @Test("A refresh checks for the refreshes of other processes before its request")
  func looksFirst() async throws {
    try await TestServer.run { _, number in
      .json(
        feed(["a": Double(number)]),
        headers: ["cache-control": "max-age=60", "etag": "\"\(number)\""])
    } _: { server in
      let clock = VirtualClock()
      let store = MemoryStore()
      let source = try FeedSource(server.url)
      let ours = try makeCopy(of: source, in: store, clock: clock)
      _ = try await ours.refresh(force: false)
      clock.advance(by: .seconds(61))
      _ = try await makeCopy(of: source, in: store, clock: clock).refresh(force: false)
      clock.advance(by: .seconds(30))
      let report = try await ours.refresh(force: false)
      #expect(report.notModified && report.attempts == 0 && server.requests.count == 2)
      // A forced refresh validates the other copy's document, not its own old one.
      _ = try await ours.refresh(force: true)
      #expect(server.requests.last?.headers["if-none-match"] == ["\"2\""])
    }
  }

  @Test("The success of another process ends being offline, unless the failure came after it")
  func offline() async throws {
    try await TestServer.run { _, number in
      number == 2 ? .json(feed(["a": 1])) : Reply(status: 404)
    } _: { server in
      let clock = VirtualClock()
      let store = MemoryStore()
      let source = try FeedSource(server.url)
      let ours = try makeCopy(of: source, in: store, clock: clock)
      await #expect(throws: LocalCopyError.self) { try await ours.refresh(force: false) }
      clock.advance(by: .seconds(1))
      let success = clock.now
      _ = try await makeCopy(of: source, in: store, clock: clock).refresh(force: false)
      clock.advance(by: .seconds(1))
      let late = try makeCopy(of: source, in: MemoryStore(), clock: clock)
      await #expect(throws: LocalCopyError.self) { try await late.refresh(force: false) }
      #expect(try ours.catchUp())
      #expect(ours.state == .fresh(since: success))

      // The failure is more recent than the record in the store.
      let failing = try makeCopy(of: source, in: store, clock: clock)
      let record = store.contents.metadata[CopyRecord.key(source.identity)]
      store.setMetadata(nil, forKey: CopyRecord.key(source.identity))
      #expect(try failing.catchUp())
      await #expect(throws: LocalCopyError.self) { try await failing.refresh(force: false) }
      store.setMetadata(record, forKey: CopyRecord.key(source.identity))
      #expect(try failing.catchUp())
      guard case .offline(_, _, lastGood: success) = failing.state else {
        Issue.record("\(failing.state)")
        return
      }
    }
  }

  @Test("“Not modified” doesn't apply to a copy that another process has replaced meanwhile")
  func notModifiedTooLate() async throws {
    try await TestServer.run { request, number in
      switch number {
      case 1: .json(feed(["a": 1]), headers: ["etag": "\"1\""])
      case 2: Reply(status: 429, headers: ["retry-after": "5"])
      case 3: .json(feed(["a": 2]), headers: ["etag": "\"2\""])
      default: Reply(status: 304, headers: ["etag": "\"1\""])
      }
    } _: { server in
      let clock = VirtualClock()
      let store = MemoryStore()
      let source = try FeedSource(server.url)
      let ours = try makeCopy(of: source, in: store, clock: clock)
      _ = try await ours.refresh(force: false)
      let slow = Task { try await ours.refresh(force: false) }
      await clock.waitForSleeper(.seconds(5) ... .seconds(6))
      let other = try await makeCopy(of: source, in: store, clock: clock).refresh(force: false)
      clock.advance(by: .seconds(6))
      #expect(try await slow.value.validators == other.validators)
      #expect(ours.lastReport?.validators.entityTag == "\"2\"" && store.rows["a"]?.value == 2)
      #expect(try !ours.catchUp())
      #expect(!store.isWriting)
    }
  }

  @Test(
    "“Not modified” doesn't apply to a copy that was deleted meanwhile; the next refresh is whole")
  func deletedMeanwhile() async throws {
    try await TestServer.run { _, number in
      switch number {
      case 1: .json(feed(["a": 1]), headers: ["etag": "\"1\""])
      case 2: Reply(status: 429, headers: ["retry-after": "5"])
      case 3: Reply(status: 304, headers: ["etag": "\"1\""])
      default: .json(feed(["a": 2]))
      }
    } _: { server in
      let clock = VirtualClock()
      let store = MemoryStore()
      let source = try FeedSource(server.url)
      let ours = try makeCopy(of: source, in: store, clock: clock)
      _ = try await ours.refresh(force: false)
      let slow = Task { try await ours.refresh(force: false) }
      await clock.waitForSleeper(.seconds(5) ... .seconds(6))
      store.setMetadata(nil, forKey: CopyRecord.key(source.identity))
      clock.advance(by: .seconds(6))
      let error = await #expect(throws: LocalCopyError.self) { try await slow.value }
      #expect(error?.code == .stateUnreadable)
      #expect(store.contents.metadata.isEmpty && !store.isWriting)
      let whole = try #require(try await ours.refreshIfStale())
      #expect(!whole.notModified && whole.updated == 1)
    }
  }

  @Test(
    "A response older than another process's copy is dropped, but none because of a clock set back",
    arguments: [1, 3_600])
  func overtaken(age: Double) async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "feed.json")
      try Data(feed(["a": 1]).utf8).write(to: file)
      let clock = VirtualClock()
      let store = MemoryStore()
      let identity = FeedSource.file(file).identity
      let ours = try makeCopy(of: .file(file), in: store, clock: clock) {
        $0.accept = { _ in
          // Our document is complete. Another process commits one that arrived a little later.
          var record = CopyRecord(
            source: identity, lastGood: clock.now.addingTimeInterval(age), report: RefreshReport())
          record.report.inserted = 77
          store.setMetadata(try record.data(), forKey: CopyRecord.key(identity))
          clock.advance(by: .seconds(2))
        }
      }
      let report = try await ours.refresh(force: false)
      let isDropped = age < 2
      #expect(report.inserted == (isDropped ? 77 : 1))
      #expect(store.rows.isEmpty == isDropped && !store.isWriting)
      #expect(try !ours.catchUp())
    }
  }
}
