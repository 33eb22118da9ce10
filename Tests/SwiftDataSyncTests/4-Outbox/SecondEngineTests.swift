import Foundation
import SwiftData
import SwiftDataSync
import SyncSimulation
import Synchronization
import Testing

/// Two engines on one store, as in two processes: one waits for a page while the other exchanges something.
@Suite struct SecondEngineTests {
  private let store = SimulatedStore()
  private let schema = SyncSchema([SyncSchema.Entity(name: "Place", policy: .serverWins)])
  private let now = Date(timeIntervalSinceReferenceDate: 0)
  private let waiting: SyncLedger
  private let other: SyncLedger

  init() throws {
    waiting = try SyncLedger(store, schema, client: "c")
    other = try SyncLedger(store, schema, client: "c")
  }

  private func place(_ key: String) -> SyncObjectID { SyncObjectID("Place", key) }

  private func values(_ text: String) -> SyncValues {
    Simulation.complete(["shared": .text(text)], of: "Place") ?? [:]
  }

  private func remote(_ key: String, _ version: Int64, _ text: String? = "") -> SyncRemote {
    SyncRemote(object: place(key), version: version, values: text.map(values))
  }

  private func page(
    _ changes: SyncRemote..., cursor: String = "end", hasMore: Bool = false,
    coverage: SyncPage.Coverage = .full()
  ) -> SyncPage {
    SyncPage(changes: changes, cursor: cursor, hasMore: hasMore, coverage: coverage)
  }

  private func request() throws -> SyncPageRequest {
    SyncPageRequest(try waiting.currentProgress())
  }

  private func apply(_ page: SyncPage, _ request: SyncPageRequest) throws {
    _ = try waiting.apply(SyncIncoming(page, request: request), now: now)
  }

  /// The other engine sends everything that waits.
  private func push(_ version: Int64) throws {
    try other.prepare(limit: 9, now: now) { UUID().uuidString }
    let outcomes = other.inFlight.map { ($0.change.id, SyncOutcome.accepted(version: version)) }
    #expect(!outcomes.isEmpty)
    _ = try other.acknowledge(Dictionary(uniqueKeysWithValues: outcomes), now: now)
  }

  @Test func aPageOfAllObjectsDoesNotDeleteWhatTheOtherHasJustSent() throws {
    try apply(page(remote("old", 1)), request())
    let requested = try request()
    store.save([place("new"): values("")])
    try push(2)
    try apply(page(remote("old", 1)), requested)
    #expect(waiting.lastPageIsOutdated && waiting.lastPageIsOvertaken)
    #expect(store.objects.count == 2)
    try apply(page(remote("old", 1), remote("new", 2)), request())
    #expect(!waiting.lastPageIsOutdated)
    #expect(store.objects.count == 2)
    #expect(!waiting.hasPending)
  }

  @Test func theFirstPageDoesNotEither() throws {
    let requested = try request()
    store.save([place("new"): values("")])
    try push(1)
    try apply(page(), requested)
    #expect(waiting.lastPageIsOutdated)
    try apply(page(remote("new", 1)), request())
    #expect(store.objects.count == 1)
    #expect(!waiting.progress.isComparing)
  }

  @Test func aPageOfAllObjectsTakesBackNoEditAndNoDeletion() throws {
    try apply(page(remote("edited", 1, "a"), remote("gone", 1)), request())
    let requested = try request()
    store.save([place("edited"): values("b"), place("gone"): nil])
    try push(2)
    try apply(page(remote("edited", 1, "a"), remote("gone", 1)), requested)
    #expect(store.objects == [place("edited"): values("b")])
    try apply(page(remote("edited", 2, "b")), request())
    #expect(store.objects == [place("edited"): values("b")])
  }

  @Test(arguments: [SyncPage.Coverage.delta, .full()])
  func versionsOfTheOthersPushAreNotLost(_ coverage: SyncPage.Coverage) throws {
    func versioned(_ version: Int64, _ coverage: SyncPage.Coverage, _ changes: SyncRemote...)
      -> SyncPage
    {
      var page = SyncPage(
        changes: changes, cursor: "end", hasMore: false, coverage: coverage)
      page.version = version
      return page
    }
    try apply(versioned(1, .full(), remote("a", 1)), request())
    let requested = try request()
    store.save([place("a"): values("mine"), place("b"): values("")])
    try push(2)
    try apply(versioned(1, coverage, remote("a", 1)), requested)
    #expect(waiting.lastRestored == 0)
    #expect(waiting.lastPageIsOutdated == (coverage != .delta))
    #expect(!waiting.progress.isComparing)
    try apply(versioned(2, coverage, remote("a", 2, "mine"), remote("b", 2)), request())
    #expect(waiting.lastRestored == 0)
    #expect(!waiting.lastPageIsOutdated && !waiting.progress.isComparing)
    #expect(store.objects == [place("a"): values("mine"), place("b"): values("")])
  }

  @Test func aDeletionByThePushThatWroteTheObjectIsTakenAfterItsAnswer() throws {
    try apply(page(remote("a", 1)), request())
    store.save([place("a"): values("mine")])
    try other.prepare(limit: 9, now: now) { "1" }
    // The push wrote the object, and deleted it with another one.
    try apply(page(remote("a", 2, nil), coverage: .delta), request())
    #expect(store.objects == [place("a"): values("mine")])
    _ = try other.acknowledge(["1": .accepted(version: 2)], now: now)
    #expect(store.objects.isEmpty)
    #expect(!other.hasPending)
  }

  @Test func theLastPageOfAComparisonIsNotTakenForAnother() throws {
    try apply(page(remote("a", 1), cursor: "1", hasMore: true), request())
    let requested = try request()
    _ = try other.currentProgress()
    _ = try other.apply(page(remote("b", 2)), now: now)
    try apply(page(remote("b", 2)), requested)
    #expect(waiting.lastPageIsOutdated)
    #expect(store.objects.count == 2)
    try apply(page(coverage: .delta), request())
    #expect(store.objects.count == 2)
    #expect(!waiting.lastPageIsOutdated)
  }

  @Test func anEngineThatAlwaysSendsSomethingDoesNotKeepTheOtherFromFetching() throws {
    try apply(page(), request())
    var arrived = 0
    for version in 2..<20 as Range<Int64> where arrived == 0 {
      let requested = try request()
      store.save([place("\(version)"): values("")])
      try push(version)
      try apply(page(remote("theirs", 1)), requested)
      if !waiting.lastPageIsOutdated { arrived = Int(version) }
    }
    #expect((3..<19).contains(arrived))
    // New objects arrived, and nothing is gone.
    #expect(store.objects.count == arrived)
    #expect(store.objects[place("theirs")] != nil)
    #expect(waiting.lastRestored == 0)
  }

  @Test func aPageThatIsAppliedNeverthelessIsNoPartOfTheComparison() throws {
    try apply(page(remote("a", 1), remote("b", 1)), request())
    try waiting.beginComparison()
    _ = try other.currentProgress()
    store.save([place("b"): nil])
    var sent: [SyncRemote] = []
    repeat {
      let requested = try request()
      let (key, version) = ("new \(sent.count)", Int64(sent.count) + 2)
      store.save([place(key): values("")])
      try push(version)
      sent.append(remote(key, version))
      try apply(page(remote("a", 1), remote("b", 1)), requested)
      // The comparison isn't complete, so the pull isn't either.
      #expect(waiting.lastPageIsOutdated && waiting.progress.isComparing)
    } while store.objects[place("b")] == nil && sent.count < 9
    #expect(store.objects[place("b")] != nil)
    let all = SyncPage(
      changes: [remote("a", 1)] + sent, cursor: "end", hasMore: false, coverage: .full())
    try apply(all, request())
    #expect(store.objects[place("b")] == nil)
    #expect(store.objects.count == all.changes.count)
    #expect(!waiting.lastPageIsOutdated && !waiting.progress.isComparing)
  }

  @Test func enginesOfOneStoreKeepTheirObjects() async throws {
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: .everyoneSeesEverything)
    let container = try Fixture.container()
    func engine(_ transport: any SyncTransport) throws -> SyncEngine {
      try SyncEngine(
        container, models: Fixture.models(), transport: transport, timing: Fixture.timing)
    }
    let line = LocalSyncTransport(server, user: "ann")
    let pusher = try engine(WholeTransport(line: line))
    let late = WholeTransport(line: line) { number in
      guard number <= 3 else { return }
      let context = ModelContext(container)
      context.insert(Park(number: number, name: "park \(number)"))
      try context.save()
      try await pusher.sync()
    }
    let puller = try engine(late)
    for _ in 0..<2 { try await puller.sync() }
    let parks = try ModelContext(container).fetchCount(FetchDescriptor<Park>())
    #expect(parks == 3)
    #expect(late.pulls > 3)
    let page = try await server.pull(after: nil, user: "ann")
    #expect(page.changes.count { $0.values != nil } == parks)
    #expect(try await puller.unsynced().isEmpty)
    #expect(puller.status.state.restoredCount == 0)
  }
}

/// A transport that always answers with all objects, and later than they are read.
private final class WholeTransport: SyncTransport {
  private let line: LocalSyncTransport
  private let meanwhile: @Sendable (_ number: Int) async throws -> Void
  private let count = Mutex(0)

  init(
    line: LocalSyncTransport,
    meanwhile: @escaping @Sendable (_ number: Int) async throws -> Void = { _ in }
  ) {
    self.line = line
    self.meanwhile = meanwhile
  }

  var pulls: Int { count.withLock(\.self) }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    try await line.push(changes, client: client)
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    var page = try await line.pull(after: nil, client: client)
    (page.cursor, page.coverage) = ("", .full())
    try await meanwhile(
      count.withLock { count in
        count += 1
        return count
      })
    return page
  }
}
