import Foundation
import Synchronization
import Testing

@testable import LocalCopy

@Suite("A copy has one refresh at a time and publishes its state", .timeLimit(.minutes(20)))
struct FeedCopyTests {
  @Test("Concurrent refreshes are one refresh") func joined() async throws {
    try await TestServer.run { _, number in
      number == 1 ? Reply(status: 429, headers: ["retry-after": "5"]) : .json(feed(["a": 1]))
    } _: { server in
      let clock = VirtualClock()
      let store = MemoryStore()
      let copy = try makeCopy(of: FeedSource(server.url), in: store, clock: clock)
      let tasks = (0..<8).map { _ in Task { try await copy.refresh(force: false) } }
      await clock.waitForSleeper(.seconds(5) ... .seconds(6))
      let late = Task { try await copy.refresh(force: false) }
      await waiters(copy, reach: 9)
      clock.advance(by: .seconds(6))
      let report = try await late.value
      for task in tasks { #expect(try await task.value == report) }
      #expect(server.requests.count == 2)
      #expect(store.commits == 1)
    }
  }

  @Test("A cancelled caller returns at once; the refresh continues for the others")
  func oneLeaves() async throws {
    try await TestServer.run { _, number in
      number == 1 ? Reply(status: 429, headers: ["retry-after": "5"]) : .json(feed(["a": 1]))
    } _: { server in
      let clock = VirtualClock()
      let copy = try makeCopy(of: FeedSource(server.url), in: MemoryStore(), clock: clock)
      let staying = Task { try await copy.refresh(force: false) }
      let leaving = Task { try await copy.refresh(force: false) }
      await waiters(copy, reach: 2)
      await clock.waitForSleeper(.seconds(5) ... .seconds(6))
      leaving.cancel()
      await #expect(throws: CancellationError.self) { try await leaving.value }
      clock.advance(by: .seconds(6))
      #expect(try await staying.value.inserted == 1)
    }
  }

  @Test("When the last caller is cancelled, so is the refresh; a new one begins afresh")
  func allLeave() async throws {
    try await TestServer.run { _, number in
      number == 1 ? Reply(status: 429, headers: ["retry-after": "5"]) : .json(feed(["a": 1]))
    } _: { server in
      let clock = VirtualClock()
      let store = MemoryStore()
      let copy = try makeCopy(of: FeedSource(server.url), in: store, clock: clock)
      let task = Task { try await copy.refresh(force: false) }
      await clock.waitForSleeper(.seconds(5) ... .seconds(6))
      task.cancel()
      // This joins the refresh that is being cancelled, or starts a new one: it must succeed in
      // either case.
      let report = try await copy.refresh(force: false)
      #expect(report.inserted == 1)
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test("The states are published in order, the current one first, and a fresh copy becomes stale")
  func states() async throws {
    try await TestServer.run { _, number in
      number == 2 ? Reply(status: 404) : .json(feed(["a": 1]))
    } _: { server in
      let clock = VirtualClock()
      let start = clock.now
      let copy = try makeCopy(of: FeedSource(server.url), in: MemoryStore(), clock: clock) {
        $0.maximumAge = .seconds(60)
      }
      var states = copy.states().makeAsyncIterator()
      #expect(await states.next() == .empty)
      _ = try await copy.refresh(force: false)
      #expect(await states.next() == .fresh(since: start))
      await clock.waitForSleeper(.seconds(60) ... .seconds(60))
      clock.advance(by: .seconds(60))
      #expect(await states.next() == .stale(since: start))
      await #expect(throws: LocalCopyError.self) { try await copy.refresh(force: false) }
      guard case .offline(let error, at: clock.now, lastGood: start)? = await states.next() else {
        Issue.record("\(copy.state)")
        return
      }
      #expect(error.httpStatus == 404)
      // Recovery is automatic: the next success clears the failure.
      _ = try await copy.refresh(force: false)
      #expect(await states.next() == .fresh(since: clock.now))
    }
  }

  @Test("A copy becomes stale, and is told to be so, also when the clock is set back meanwhile")
  func clockSetBack() async throws {
    try await TestServer.run { _, _ in
      .json(feed(["a": 1]))
    } _: { server in
      let clock = VirtualClock()
      let start = clock.now
      let copy = try makeCopy(of: FeedSource(server.url), in: MemoryStore(), clock: clock) {
        $0.maximumAge = .seconds(60)
      }
      _ = try await copy.refresh(force: false)
      var states = copy.states().makeAsyncIterator()
      #expect(await states.next() == .fresh(since: start))
      await clock.waitForSleeper(.seconds(60) ... .seconds(60))
      clock.set(by: .seconds(-20))
      clock.advance(by: .seconds(60))
      await clock.waitForSleeper(.seconds(20) ... .seconds(20))
      clock.advance(by: .seconds(20))
      #expect(await states.next() == .stale(since: start))
    }
  }

  @Test("A copy from the future is stale until its time comes, which is told")
  func clockSetBackFar() async throws {
    try await TestServer.run { _, _ in
      .json(feed(["a": 1]))
    } _: { server in
      let clock = VirtualClock()
      let start = clock.now
      let copy = try makeCopy(of: FeedSource(server.url), in: MemoryStore(), clock: clock) {
        $0.maximumAge = .seconds(60)
      }
      _ = try await copy.refresh(force: false)
      clock.set(by: .seconds(-5_000))
      var states = copy.states().makeAsyncIterator()
      #expect(await states.next() == .stale(since: start))
      await clock.waitForSleeper(.seconds(3_600) ... .seconds(3_600))
      clock.advance(by: .seconds(3_600))
      await clock.waitForSleeper(.seconds(1_400) ... .seconds(1_400))
      clock.advance(by: .seconds(1_400))
      #expect(await states.next() == .fresh(since: start))
    }
  }

  @Test("refreshIfStale sends a request only when the copy is too old") func refreshIfStale()
    async throws
  {
    try await TestServer.run { _, _ in
      .json(feed(["a": 1]))
    } _: { server in
      let clock = VirtualClock()
      let copy = try makeCopy(of: FeedSource(server.url), in: MemoryStore(), clock: clock) {
        $0.maximumAge = .seconds(60)
      }
      #expect(try await copy.refreshIfStale()?.inserted == 1)
      clock.advance(by: .seconds(59))
      #expect(try await copy.refreshIfStale() == nil)
      clock.advance(by: .seconds(1))
      #expect(try await copy.refreshIfStale()?.unchanged == 1)
      #expect(server.requests.count == 2)
    }
  }

  @Test("The loop refreshes at each interval, survives failures and ends with its task")
  func loop() async throws {
    try await TestServer.run { _, number in
      number == 2 ? Reply(status: 500) : .json(feed(["a": Double(number)]))
    } _: { server in
      let clock = VirtualClock()
      let store = MemoryStore()
      let copy = try makeCopy(of: FeedSource(server.url), in: store, clock: clock) {
        $0.http.retry.maximumAttempts = 1
      }
      let loop = Task { await copy.run(every: .seconds(300)) }
      for round in 1...3 {
        await clock.waitForSleeper(.seconds(300) ... .seconds(300))
        #expect(server.requests.count == round)
        #expect(store.rows["a"]?.value == (round == 3 ? 3 : 1))
        if round < 3 { clock.advance(by: .seconds(300)) }
      }
      loop.cancel()
      await loop.value
    }
  }

  @Test("The state is that of the store after a restart; another feed's record means nothing")
  func restart() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "feed.json")
      try Data(feed(["a": 1]).utf8).write(to: file)
      let clock = VirtualClock()
      let store = MemoryStore()
      let named: (inout LocalCopyConfiguration) -> Void = { $0.name = "quakes" }
      let copy = try makeCopy(of: .file(file), in: store, clock: clock, configure: named)
      let report = try await copy.refresh(force: false)
      let restarted = try makeCopy(of: .file(file), in: store, clock: clock, configure: named)
      #expect(restarted.state == .fresh(since: clock.now))
      #expect(restarted.lastReport?.inserted == report.inserted)
      let other = try makeCopy(
        of: FeedSource("/elsewhere"), in: store, clock: clock, configure: named)
      #expect(other.state == .empty)
    }
  }

  @Test("A damaged record costs a transfer, not the start") func damagedRecord() async throws {
    let store = MemoryStore()
    store.setMetadata(Data("{".utf8), forKey: CopyRecord.key("x"))
    let copy = try makeCopy(of: FeedSource("/elsewhere"), in: store) { $0.name = "x" }
    #expect(copy.state == .empty)
    store.fail("metadata")
    #expect(throws: LocalCopyError.self) {
      try makeCopy(of: FeedSource("/elsewhere"), in: store)
    }
  }

  /// Waits until a number of callers wait for the refresh in progress.
  private func waiters(_ copy: ItemCopy, reach count: Int) async {
    while copy.shared.withLock({ $0.flight?.waiters.count ?? 0 }) < count { await Task.yield() }
  }
}
