import Dispatch
import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataStore
import Synchronization
import Testing

@testable import SwiftDataSQLite

@Suite("Watching a store's file", .timeLimit(.minutes(20)))
struct WatchingTests {
  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Counter.self)
  }

  @Test(
    "begins with the first listener",
    .enabled(if: StoreKind.tested == .sqlite, "looks at the watcher of a file"))
  func laziness() throws {
    // Without a container: another test may observe the notification, which all containers post.
    let opened = try DefaultStore(
      ModelConfiguration(schema: Schema([Counter.self]), url: store.file))
    #expect(opened.tracker.watcher.withLock { $0 == nil })
    let subscription = opened.commits.subscribe { _ in }
    #expect(opened.tracker.watcher.withLock { $0 != nil })
    withExtendedLifetime(subscription) {}
  }

  @MainActor
  @Test("observers count the commits of other containers and programs at once")
  func observers() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    let other = ModelContext(try store.container(Counter.self))
    #expect(
      try await value({ observer.eventCounter }) { _ = try other.saveCounter("elsewhere") } == 1)
    let results = try ResultsObserver<Counter, Never>(modelContext: ModelContext(container))
    #expect(results.results.count == 1)
    #expect(
      try await value({ results.results.count }) { _ = try other.saveCounter("more") } == 2)
    #expect(
      try await value({ results.results.count }) {
        try store.execute("DELETE FROM \"Counter\" WHERE name = 'more'")
      } == 1)
  }

  @MainActor
  @Test(
    "continues when the log was reset or recreated",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func log() async throws {
    let results = try ResultsObserver<Counter, Never>(modelContext: ModelContext(container))
    let other = ModelContext(try store.container(Counter.self))
    for (number, mode) in ["PASSIVE", "RESTART", "TRUNCATE"].enumerated() {
      try store.execute("PRAGMA wal_checkpoint(\(mode))")
      #expect(
        try await value({ results.results.count }) { _ = try other.saveCounter(mode) }
          == number + 1)
    }
  }

  @MainActor
  @Test(
    "notices a store behind a symbolic link",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func links() async throws {
    let link = store.folder.appending(path: "link.store")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: store.file)
    let linked = try ModelContainer(
      for: Counter.self, configurations: ModelConfiguration(url: link))
    let results = try ResultsObserver<Counter, Never>(modelContext: ModelContext(linked))
    let other = ModelContext(container)
    #expect(try await value({ results.results.count }) { _ = try other.saveCounter("a") } == 1)
  }

  @Test(
    "a system that reports nothing is looked at again and again",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func withoutEvents() async throws {
    let opened = try DefaultStore(
      ModelConfiguration(schema: Schema([Counter.self]), url: store.file))
    let watcher = StoreWatcher(opened, store.file, isReadOnly: false, usesEvents: false)
    defer { watcher.stop() }
    opened.tracker.watcher.withLock { $0 = watcher }
    let (commits, continuation) = AsyncStream<StoreCommit>.makeStream()
    let subscription = opened.commits.subscribe { continuation.yield($0) }
    var iterator = commits.makeAsyncIterator()
    let context = ModelContext(container)
    context.author = "elsewhere"
    _ = try context.saveCounter("a")
    #expect(await iterator.next()?.author == "elsewhere")
    try store.execute("UPDATE \"Counter\" SET value = 2")
    let second = await iterator.next()
    #expect(second != nil && second?.entities == nil)
    withExtendedLifetime(subscription) {}
  }

  @MainActor
  @Test("follows a read-only container too")
  func readOnly() async throws {
    _ = try ModelContext(container).saveCounter("a")
    let reader = try store.container(Counter.self, allowsSave: false)
    let observer = try HistoryObserver(modelContainer: reader)
    let other = ModelContext(container)
    #expect(try await value({ observer.eventCounter }) { _ = try other.saveCounter("b") } == 1)
  }

  @MainActor
  @Test(
    "a file replaced by another one is reported, read, and no longer written to",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func replacement() async throws {
    let source = try TemporaryStore()
    let other = ModelContext(try source.container(Counter.self))
    _ = try other.saveCounter("new")
    try source.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let context = ModelContext(container)
    let results = try ResultsObserver<Counter, Never>(modelContext: ModelContext(container))
    #expect(results.results.isEmpty)
    let count = try await value({ results.results.count }) {
      let copy = store.folder.appending(path: "copy")
      try FileManager.default.copyItem(at: source.file, to: copy)
      for suffix in ["-wal", "-shm"] {
        try FileManager.default.removeItem(atPath: store.file.path + suffix)
      }
      #expect(rename(copy.path, store.file.path) == 0)
    }
    #expect(count == 1)
    context.insert(Counter("lost"))
    #expect(throws: StoreError.self) { try context.save() }
  }

  @MainActor
  @Test(
    "an open file that went back to an older copy is followed from there",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func restored() async throws {
    let other = ModelContext(try store.container(Counter.self))
    for name in ["a", "b", "c"] { _ = try other.saveCounter(name) }
    let own = ModelContext(container)
    let results = try ResultsObserver<Counter, Never>(modelContext: ModelContext(container))
    let observer = try HistoryObserver(modelContainer: container)
    #expect(results.results.count == 3)
    let start = observer.eventCounter
    let remaining = try await value({ results.results.count }) {
      try SQLiteFile(store.file).run(
        """
        BEGIN;
        DELETE FROM Counter WHERE name <> 'a';
        DELETE FROM _history_change WHERE number > 1;
        DELETE FROM _history_transaction WHERE number > 1;
        COMMIT
        """)
    }
    #expect(remaining == 1)
    if observer.eventCounter == start { _ = await value({ observer.eventCounter }) {} }
    // The following transactions have numbers that were reported before.
    let counted = observer.eventCounter
    #expect(
      try await value({ observer.eventCounter }) { _ = try other.saveCounter("d") } == counted + 1)
    #expect(try await value({ results.results.count }) { _ = try own.saveCounter("e") } == 3)
  }

  @Test(
    "leaves nothing behind",
    .enabled(if: StoreKind.tested == .sqlite, "looks at the watcher of a file"))
  func end() throws {
    weak var watcher: StoreWatcher?
    try {
      let container = try store.container(Counter.self)
      let observer = try HistoryObserver(modelContainer: container, isolation: nil)
      watcher = (container.core.stores.first as? DefaultStore)?.tracker.watcher.withLock { $0 }
      #expect(watcher != nil)
      withExtendedLifetime(observer) {}
    }()
    // Work in progress on its queue finishes first.
    watcher?.finish()
    #expect(watcher == nil)
  }

  /// Releases a container when a listener has been notified of another writer's commit, and checks whether its file is
  /// closed immediately: the last connection to close removes the log.
  ///
  /// - Parameter listener: Called with the commit.
  private static func closeWhenTold(
    _ store: TemporaryStore, _ listener: @escaping @Sendable () -> Void
  ) async throws {
    let (told, continuation) = AsyncStream<Void>.makeStream()
    // Not a container that posts the notification, which other tests may observe: posting it retains the container.
    let schema = Schema([Counter.self])
    let opened = try DefaultStore(ModelConfiguration(schema: schema, url: store.file))
    var container: ModelContainer? = ModelContainer(
      schema: schema, migrationPlan: nil, stores: [consume opened], ownsStores: true)
    let subscription = container?.core.stores.first?.commits.subscribe { _ in
      continuation.yield()
      listener()
    }
    try store.execute("INSERT INTO Counter (name, value, note) VALUES ('\(UUID())', 0, '')")
    for await _ in told { break }
    container = nil
    #expect(!FileManager.default.fileExists(atPath: store.file.path + "-wal"))
    withExtendedLifetime(subscription) {}
  }

  @Test(
    "a released container closes its file, also during a check",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func closing() async throws {
    let store = try TemporaryStore()
    for _ in 0..<30 { try await Self.closeWhenTold(store) {} }
  }

  @Test(
    "a released container doesn't wait for its listeners",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func slowListener() async throws {
    let held = DispatchSemaphore(value: 0)
    try await Self.closeWhenTold(try TemporaryStore()) { held.wait() }
    held.signal()
  }
}

@Suite("The times of a watcher's checks")
struct PollingScheduleTests {
  @Test("often after an event, ever more seldom, and now and then without one")
  func pauses() {
    var schedule = PollingSchedule(hasEvents: true)
    #expect(schedule.next(at: 0) == PollingSchedule.idleInterval)
    schedule.recordEvent(at: 10)
    var pauses: [UInt64] = []
    var time: UInt64 = 10
    while pauses.count < 8 {
      pauses.append(schedule.next(at: time))
      time += pauses.last ?? 0
    }
    #expect(pauses.map { $0 / 1_000_000 } == [1, 2, 4, 8, 16, 20, 20, 20])
    #expect(schedule.next(at: 10 + PollingSchedule.settlingTime) == PollingSchedule.idleInterval)
    schedule.recordEvent(at: 20 + PollingSchedule.settlingTime)
    #expect(
      schedule.next(at: 20 + PollingSchedule.settlingTime) == PollingSchedule.shortestInterval)
  }

  @Test("all the time where nothing is reported")
  func withoutEvents() {
    var schedule = PollingSchedule(hasEvents: false)
    #expect((0..<5).allSatisfy { _ in schedule.next(at: 0) == PollingSchedule.longestInterval })
  }
}

@Suite("A store's record of commits")
struct CommitMonitorTests {
  private func commitState(_ count: UInt32?, _ transaction: Int64, unrecorded: Int64 = 0)
    -> CommitState
  {
    CommitState(count: count, transaction: transaction, unrecorded: unrecorded)
  }

  private func monitor() -> CommitMonitor {
    let monitor = CommitMonitor()
    monitor.observe(commitState(10, 5))
    monitor.beginReporting()
    return monitor
  }

  @Test("transactions of the history aren't unknown, everything beyond them is")
  func surplus() {
    let monitor = monitor()
    monitor.observe(commitState(13, 8))
    #expect(!monitor.consumeUnrecorded() && monitor.lastReportedIfBehind == 5)
    // One commit with a history transaction and one without, at the same time.
    monitor.observe(commitState(15, 9))
    #expect(monitor.consumeUnrecorded() && !monitor.consumeUnrecorded())
    monitor.observe(commitState(16, 9, unrecorded: 1))
    #expect(!monitor.consumeUnrecorded())
    #expect(monitor.position.transaction == 9)
  }

  @Test("an outdated state changes nothing, and a recreated index may hide commits")
  func order() {
    let monitor = monitor()
    monitor.observe(commitState(13, 8))
    let before = monitor.position
    monitor.observe(commitState(11, 6))
    #expect(monitor.position == before)
    monitor.observe(commitState(1, 9))
    #expect(monitor.consumeUnrecorded())
    monitor.observe(commitState(2, 10))
    #expect(!monitor.consumeUnrecorded())
  }

  @Test("without the index a commit that adds no transaction is unknown")
  func withoutIndex() {
    let monitor = CommitMonitor()
    monitor.observe(commitState(nil, 5))
    monitor.beginReporting()
    monitor.observe(commitState(nil, 6))
    #expect(!monitor.consumeUnrecorded())
    monitor.observe(commitState(nil, 6))
    #expect(monitor.consumeUnrecorded())
  }

  @Test(
    "own transactions are reported by their writers, failed ones by the next user of their number"
  )
  func own() {
    let monitor = monitor()
    monitor.reserve(6)
    monitor.observe(commitState(11, 6))
    #expect(!monitor.markReported(6))
    _ = monitor.recordOwnCommit(6)
    monitor.reserve(7)
    monitor.release(7)
    monitor.observe(commitState(12, 7))
    #expect(monitor.markReported(7) && !monitor.markReported(7))
    #expect(monitor.lastReportedIfBehind == nil)
  }

  @Test("in an older copy, numbers that were reported before are reported again")
  func restored() {
    let monitor = monitor()
    monitor.reserve(6)
    monitor.observe(commitState(11, 6))
    _ = monitor.recordOwnCommit(6)
    monitor.observe(commitState(12, 7))
    #expect(!monitor.markReported(6) && monitor.markReported(7))
    monitor.reserve(8)
    _ = monitor.recordOwnCommit(8)
    monitor.observe(commitState(14, 5), isByWatcher: true)
    #expect(monitor.consumeUnrecorded())
    #expect(monitor.lastReportedIfBehind == nil)
    monitor.observe(commitState(17, 8))
    #expect(monitor.lastReportedIfBehind == 5)
    #expect((6...8).allSatisfy { monitor.markReported($0) })
  }

  @Test("in an older file that replaces the open one, too")
  func replaced() {
    let monitor = monitor()
    monitor.recordReplacement()
    monitor.observe(commitState(2, 1), isByWatcher: true)
    #expect(monitor.consumeUnrecorded() && monitor.lastReportedIfBehind == nil)
    monitor.observe(commitState(3, 2))
    #expect(monitor.lastReportedIfBehind == 1 && monitor.markReported(2))
  }

  @Test("an older state that the watcher hasn't got past leaves the claims of own transactions")
  func outdated() {
    let monitor = monitor()
    monitor.reserve(6)
    _ = monitor.recordOwnCommit(6)
    monitor.observe(commitState(10, 5))
    monitor.observe(commitState(11, 6))
    #expect(!monitor.markReported(6))
    #expect(monitor.lastReportedIfBehind == nil)
  }

  @Test("a reader's snapshot that is older than the count of commits repeats no report")
  func olderSnapshot() {
    let monitor = monitor()
    monitor.reserve(6)
    _ = monitor.recordOwnCommit(6)
    monitor.observe(commitState(12, 7), isByWatcher: true)
    #expect(!monitor.markReported(6) && monitor.markReported(7))
    monitor.observe(commitState(12, 5))
    monitor.observe(commitState(13, 8), isByWatcher: true)
    #expect(monitor.lastReportedIfBehind == 7)
    #expect(!monitor.markReported(6) && !monitor.markReported(7) && monitor.markReported(8))
  }

  @Test(
    "a commit after another writer's raises the generation twice, so that the saver reads again")
  func gaps() {
    let monitor = monitor()
    let before = monitor.position.generation
    #expect(monitor.recordOwnCommit(6) == before + 1)
    #expect(monitor.recordOwnCommit(8) == before + 3)
  }
}
