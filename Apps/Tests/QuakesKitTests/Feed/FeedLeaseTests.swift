import Foundation
import LocalCopy
import Logging
import SwiftData
import Synchronization
import Testing

@testable import QuakesKit
@testable import StoreTesting
@testable import TestSupport

@Suite("One program at a time loads a feed", .timeLimit(.minutes(20)))
struct FeedLeaseTests {
  /// The programs that share a store: each has its own container.
  private struct Place {
    let store: TestStore
    let selection: FeedSelection
    /// The number of documents that were loaded.
    let loads = Counter()

    init(_ form: StoreForm) throws {
      store = try TestStore(form)
      let document = Fixture.feed([Fixture.feature("nc1"), Fixture.feature("nc2")])
      selection = try FeedSelection(store.folder.file("feed.geojson", document).path)
    }

    func program(
      expiry: Duration = .seconds(3_600), renewal: Duration = .seconds(3_600)
    ) throws -> QuakeFeed {
      let timing = FeedLeases.Timing(
        renewal: renewal, expiry: expiry, pause: .milliseconds(5))
      return try QuakeFeed(selection, into: store.open(), rule: .all, timing: timing) {
        [loads] configuration in
        configuration.accept = { _ in loads.raise() }
      }
    }
  }

  private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func raise() { value.withLock { $0 += 1 } }
  }

  private static func take(_ feed: QuakeFeed) async throws -> String? {
    var observation: FeedLeases.Observation?
    return try await feed.leases.take(&observation)
  }

  private static func isFree(_ feed: QuakeFeed) throws -> Bool {
    try feed.leases.state()?.holder.isEmpty != false
  }

  @Test("A lease is renewed whatever its number is")
  func extremeNumber() async throws {
    let place = try Place(.file)
    let program = try place.program()
    try await program.refresh()
    guard case .file(let file) = place.store.location else {
      Issue.record("The store is no file.")
      return
    }
    try SQLiteFile(file).run("UPDATE FeedLease SET renewals = 9223372036854775807")
    #expect(try await program.refresh().unchanged == 2)
    #expect(try Self.isFree(program))
  }

  @Test(
    "Programs that begin together load the feed once, and all have the result",
    arguments: StoreForm.shared)
  func together(_ form: StoreForm) async throws {
    let place = try Place(form)
    let programs = try (0..<3).map { _ in try place.program() }
    let reports: [RefreshReport] = try await withThrowingTaskGroup(of: RefreshReport.self) {
      group in
      for program in programs { group.addTask { try await program.refresh() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(place.loads.count == 1)
    #expect(reports.count == 3 && reports.allSatisfy { $0.inserted == 2 })
    for program in programs {
      #expect(program.copy.lastReport?.inserted == 2 && !program.isWaiting)
      #expect(try Self.isFree(program))
    }
  }

  @Test(
    "A program waits for another one's refresh and shows its result, also when it is asked to load",
    arguments: StoreForm.shared, [false, true])
  func waits(_ form: StoreForm, force: Bool) async throws {
    let place = try Place(form)
    let (loader, other) = (try place.program(), try place.program())
    let holder = try #require(try await Self.take(loader))
    let (waiting, begin) = AsyncStream.makeStream(of: Void.self)
    async let refresh = other.refresh(force: force) { begin.finish() }
    for await _ in waiting {}
    #expect(other.isWaiting && place.loads.count == 0)
    try await loader.leases.hold(as: holder) { _ = try await loader.copy.refresh(force: true) }
    #expect(try await refresh.inserted == 2)
    #expect(place.loads.count == 1 && !other.isWaiting)
    // Afterwards it loads by itself again.
    try await other.refresh(force: true)
    #expect(place.loads.count == 2)
  }

  @Test("A program that ended while it loaded is followed by another", arguments: StoreForm.shared)
  func expires(_ form: StoreForm) async throws {
    let place = try Place(form)
    let program = try place.program(expiry: .milliseconds(50))
    let lost = try #require(try await Self.take(program))
    let hasWaited = Counter()
    let report = try await place.program(expiry: .milliseconds(50)).refresh { hasWaited.raise() }
    #expect(report.inserted == 2 && place.loads.count == 1 && hasWaited.count == 1)
    // A holder that has lost the lease doesn't give back or renew another one's.
    let next = try place.program()
    #expect(try await Self.take(next) != nil)
    let state = try next.leases.state()
    try await program.leases.hold(as: lost) {}
    #expect(try next.leases.state() == state)
  }

  @Test("A holder renews the lease, and gives it back after a failure", arguments: StoreForm.shared)
  func renews(_ form: StoreForm) async throws {
    struct Failure: Error {}
    let place = try Place(form)
    let program = try place.program(renewal: .milliseconds(5))
    let holder = try #require(try await Self.take(program))
    do {
      try await program.leases.hold(as: holder) {
        while try program.leases.state()?.renewals ?? 0 < 4 { await Task.yield() }
        throw Failure()
      }
      Issue.record("the failure isn't passed on")
    } catch is Failure {}
    #expect(try Self.isFree(program))
  }

  @Test("A cancelled refresh gives the lease back", arguments: StoreForm.shared)
  func cancelled(_ form: StoreForm) async throws {
    let place = try Place(form)
    let program = try place.program()
    let holder = try #require(try await Self.take(program))
    let task = Task {
      try await program.leases.hold(as: holder) {
        try await Task.sleep(for: .seconds(3_600))
      }
    }
    task.cancel()
    _ = await task.result
    #expect(try Self.isFree(program))
  }

  @Test("Of programs that see a free lease at once, one gets it", arguments: StoreForm.shared)
  func one(_ form: StoreForm) async throws {
    let place = try Place(form)
    let programs = try (0..<4).map { _ in try place.program() }
    for _ in 0..<5 {
      let holders: [String] = try await withThrowingTaskGroup(of: String?.self) { group in
        for program in programs {
          group.addTask { try await Self.take(program) }
        }
        return try await group.reduce(into: []) { holders, holder in
          if let holder { holders.append(holder) }
        }
      }
      #expect(holders.count == 1)
      for holder in holders { try await programs[0].leases.hold(as: holder) {} }
    }
  }
}
