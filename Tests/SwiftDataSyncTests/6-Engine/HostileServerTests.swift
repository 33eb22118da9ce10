import Foundation
import SwiftData
import SwiftDataSync
import Synchronization
import Testing
import WireFormats

/// A server that returns prepared answers, and counts.
private final class HostileServer: SyncAttachmentTransport {
  typealias Pusher = @Sendable (_ round: Int, [SyncChange]) throws -> [String: SyncOutcome]
  typealias Puller = @Sendable (_ round: Int, _ cursor: String?) throws -> SyncPage

  private let rounds = Mutex((pushes: 0, pulls: 0, questions: 0))
  private let pusher: Pusher
  private let puller: Puller
  private let question: SyncFailure?

  init(
    push: @escaping Pusher = { _, changes in
      Dictionary(uniqueKeysWithValues: changes.map { ($0.id, .accepted(version: 1)) })
    },
    pull: @escaping Puller = { _, _ in SyncPage(changes: [], cursor: "c", hasMore: false) },
    missing question: SyncFailure? = nil
  ) {
    (pusher, puller) = (push, pull)
    self.question = question
  }

  var requests: Int { rounds.withLock { $0.pushes + $0.pulls + $0.questions } }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    let round = rounds.withLock { rounds in
      rounds.pushes += 1
      return rounds.pushes
    }
    return try pusher(round, changes)
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    let round = rounds.withLock { rounds in
      rounds.pulls += 1
      return rounds.pulls
    }
    return try puller(round, cursor)
  }

  func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int] {
    rounds.withLock { $0.questions += 1 }
    if let question { throw question }
    return [:]
  }

  func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int { offset + bytes.count }

  func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]? { [0x61] }
}

/// A clock that stands still. Each sleep lasts an hour, so that no exchange continues after a delay.
private final class StandingClock: TimeSource {
  var now: Date { Date(timeIntervalSinceReferenceDate: 0) }
  var uptime: Duration { .zero }
  func sleep(for duration: Duration) async throws {
    // Nothing wakes the engine: a caller that syncs again within a delay doesn't wait for it.
    try await Task.sleep(for: .seconds(3_600))
  }
}

/// Servers that would keep an engine busy forever. Each exchange ends, with a failure that gives the reason.
@Suite(.timeLimit(.minutes(20))) struct HostileServerTests {
  /// An upper bound for the requests of one exchange with any of these servers.
  private static let bound = 80

  private func conflict(
    _ changes: [SyncChange], version: Int64, _ values: SyncValues?
  ) -> [String: SyncOutcome] {
    Dictionary(
      uniqueKeysWithValues: changes.map { change in
        (
          change.id,
          .conflict(SyncRemote(object: change.object, version: version, values: values))
        )
      })
  }

  private static func park(_ name: String) -> SyncValues {
    ["number": .integer(1), "name": .text(name), "mood": .text("calm")]
  }

  private func engine(
    _ server: HostileServer, _ policy: SyncPolicy, rounds: Int = 10_000
  ) throws -> (ModelContainer, SyncEngine) {
    let container = try Fixture.container()
    let context = ModelContext(container)
    context.insert(Park(number: 1, name: "mine"))
    try context.save()
    var timing = Fixture.timing
    timing.baseDelay = .seconds(60)
    timing.maximumDelay = .seconds(300)
    timing.maximumRounds = rounds
    return (
      container,
      try SyncEngine(
        container, models: Fixture.models(policy), transport: server, timing: timing,
        clock: StandingClock())
    )
  }

  @Test(arguments: [true, false]) func aNewObjectThatIsAlwaysSaidToBeDeleted(
    serverWins: Bool
  ) async throws {
    let server = HostileServer(push: { round, changes in
      conflict(changes, version: Int64(round), nil)
    })
    let (container, engine) = try engine(server, serverWins ? .serverWins : .clientWins)
    await #expect(throws: SyncFailure.self) { try await engine.sync() }
    #expect(server.requests <= Self.bound)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Park>()) == 1)
  }

  @Test func aNewerVersionInEveryAnswer() async throws {
    let server = HostileServer(push: { round, changes in
      conflict(changes, version: Int64(round), Self.park("theirs \(round)"))
    })
    let (container, engine) = try engine(server, .clientWins)
    await #expect(throws: SyncFailure.self) { try await engine.sync() }
    #expect(server.requests <= Self.bound)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Park>()).first?.name == "mine")
    #expect(try await engine.unsynced().count == 1)
  }

  @Test func changesWithoutProgressAreQuarantinedAndTheRestContinues() async throws {
    let server = HostileServer(
      push: { round, changes in
        var outcomes = conflict(
          changes.filter { $0.object.key == "1" }, version: Int64(round),
          Self.park("theirs \(round)"))
        for change in changes where change.object.key != "1" {
          outcomes[change.id] = .accepted(version: 1)
        }
        return outcomes
      })
    let (container, engine) = try engine(server, .clientWins)
    // Each attempt of the user skips the delay, like an impatient user's.
    for _ in 0..<40 {
      do { try await engine.sync() } catch is SyncFailure {}
    }
    #expect(server.requests <= 2 * Self.bound)
    guard
      case .quarantined(let quarantine) = try await engine.status(of: SyncObjectID("Park", "1")),
      case .failing = quarantine.reason
    else {
      Issue.record("not set aside")
      return
    }
    let context = ModelContext(container)
    context.insert(Park(number: 2, name: "another"))
    try context.save()
    try await engine.sync()
    #expect(try await engine.status(of: SyncObjectID("Park", "2")) == .synced(version: 1))
  }

  @Test func endlessComparisons() async throws {
    let server = HostileServer(pull: { _, _ in throw SyncFailure(.cursorExpired, "anew") })
    let (_, engine) = try engine(server, .serverWins)
    await #expect(throws: SyncFailure.self) { try await engine.sync() }
    #expect(server.requests <= 8)
  }

  @Test func endlessComparisonsBetweenPages() async throws {
    let server = HostileServer(pull: { round, cursor in
      guard cursor == nil else { throw SyncFailure(.cursorExpired, "anew") }
      return SyncPage(
        changes: [
          SyncRemote(
            object: SyncObjectID("Park", "\(round)"), version: 1,
            values: ["number": .integer(Int64(round)), "name": .text("a"), "mood": .text("calm")])
        ], cursor: "\(round)", hasMore: true, coverage: .full())
    })
    let (_, engine) = try engine(server, .serverWins)
    await #expect(throws: SyncFailure.self) { try await engine.sync() }
    #expect(server.requests <= 12)
  }

  @Test(arguments: [true, false]) func endlessPages(movesOn: Bool) async throws {
    let server = HostileServer(pull: { round, _ in
      SyncPage(changes: [], cursor: movesOn ? "\(round)" : "c", hasMore: true)
    })
    let (_, engine) = try engine(server, .serverWins)
    await #expect(throws: SyncFailure.self) { try await engine.sync() }
    #expect(server.requests <= Self.bound)
  }

  @Test func endlesslyRepeatedObjects() async throws {
    let server = HostileServer(pull: { round, _ in
      SyncPage(
        changes: [
          SyncRemote(
            object: SyncObjectID("Park", "2"), version: 1,
            values: ["number": .integer(2), "name": .text("a"), "mood": .text("calm")])
        ], cursor: "\(round)", hasMore: true)
    })
    let (_, engine) = try engine(server, .serverWins)
    await #expect(throws: SyncFailure.self) { try await engine.sync() }
    #expect(server.requests <= Self.bound)
  }

  @Test func newsWithoutAnEndHaveAPauseInThem() async throws {
    let server = HostileServer(pull: { round, _ in
      SyncPage(
        changes: [
          SyncRemote(
            object: SyncObjectID("Park", "2"), version: Int64(round),
            values: [
              "number": .integer(2), "name": .text("\(round)"), "mood": .text("calm"),
            ])
        ], cursor: "\(round)", hasMore: true)
    })
    let (_, engine) = try engine(server, .serverWins, rounds: 50)
    await #expect(throws: SyncFailure.self) { try await engine.sync() }
    #expect(server.requests <= Self.bound)
    // No progress is lost: the next exchange continues from there.
    #expect(try await engine.status(of: SyncObjectID("Park", "2")) != .unknown)
  }

  @Test(arguments: [
    SyncFailure.Kind.refused, .tooLarge, .server, .cursorExpired, .throttled(after: .zero),
    .throttled(after: .seconds(-1)), .throttled(after: .seconds(Int64.max)), .offline, .forbidden,
    .authentication, .incompatible, .suspended, .localStore,
  ])
  func everyFailureOfEveryCallEnds(_ kind: SyncFailure.Kind) async throws {
    let failure = SyncFailure(kind, "no")
    let servers = [
      HostileServer(push: { _, _ in throw failure }),
      HostileServer(pull: { _, _ in throw failure }),
      HostileServer(push: { _, _ in throw failure }, pull: { _, _ in throw failure }),
      HostileServer(push: { _, _ in [:] }),
      HostileServer(push: { _, changes in
        Dictionary(
          uniqueKeysWithValues: changes.map {
            ($0.id, .rejected(SyncRejection(code: "no", message: "")))
          })
      }),
    ]
    for server in servers {
      let (_, engine) = try engine(server, .clientWins)
      do { try await engine.sync() } catch is SyncFailure {}
      #expect(server.requests <= Self.bound)
    }
  }

  @Test func aServerThatFailsAtAPushAndRefusesTheCredentialsPausesForNewOnes() async throws {
    let expired = SyncFailure(.authentication, "expired")
    let server = HostileServer(
      push: { _, _ in throw SyncFailure(.server, "500") }, pull: { _, _ in throw expired })
    let (_, engine) = try engine(server, .clientWins)
    // The fourth failure of a push makes the engine probe the server.
    for _ in 0..<3 {
      await #expect(throws: SyncFailure(.server, "500")) { try await engine.sync() }
    }
    await #expect(throws: expired) { try await engine.sync() }
    #expect(engine.status.state.activity == .paused(.authentication))
    #expect(try await engine.pendingCount() == 1)
  }

  /// The question before a push was refused without end: nothing had been sent, so nothing was set aside.
  @Test(arguments: [SyncFailure.Kind.refused, .tooLarge, .server, .throttled(after: .zero)])
  func aRefusedQuestionAboutAttachmentsEnds(_ kind: SyncFailure.Kind) async throws {
    let server = HostileServer(missing: SyncFailure(kind, "no"))
    let container = try Photographer.container()
    let engine = try SyncEngine(
      container, models: Photographer.models, transport: server, timing: Fixture.timing,
      clock: StandingClock())
    let context = ModelContext(container)
    context.insert(Photo(1, "large", Data(repeating: 7, count: 100_000), in: Album(1, "a")))
    try context.save()
    do { try await engine.sync() } catch is SyncFailure {}
    #expect(server.requests <= Self.bound)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max - 1, .max])
  func everyVersionIsAVersion(_ version: Int64) async throws {
    let server = HostileServer(
      push: { _, changes in
        Dictionary(
          uniqueKeysWithValues: changes.map {
            ($0.id, .accepted(version: version, values: Self.park("made")))
          })
      },
      pull: { _, _ in
        SyncPage(
          changes: [
            SyncRemote(
              object: SyncObjectID("Park", "1"), version: version, values: Self.park("pulled")),
            SyncRemote(object: SyncObjectID("Park", "3"), version: version, values: nil),
          ], cursor: "c", hasMore: false)
      })
    let (container, engine) = try engine(server, .serverWins)
    for _ in 0..<3 { try await engine.sync() }
    #expect(server.requests <= Self.bound)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Park>()) == 1)
  }

  @Test func sizesOfAttachmentsBeyondAllNumbersAreSetAside() async throws {
    let sha = String(repeating: "ab", count: 32)
    let server = HostileServer(pull: { _, _ in
      SyncPage(
        changes: [
          SyncRemote(
            object: SyncObjectID("Album", "1"), version: 1,
            values: ["number": .integer(1), "name": .text("a")])
        ]
          + (1...3).map { number in
            SyncRemote(
              object: SyncObjectID("Photo", "\(number)"), version: 1,
              values: [
                "number": .integer(Int64(number)), "title": .text("a"), "album": .text("1"),
                "image": .object(["sha256": .text(sha), "size": .integer(.max)]),
              ])
          }, cursor: "c", hasMore: false)
    })
    let container = try Photographer.container()
    let engine = try SyncEngine(
      container, models: Photographer.models, transport: server, timing: Fixture.timing,
      clock: StandingClock())
    do { try await engine.sync() } catch is SyncFailure {}
    #expect(server.requests <= Self.bound)
  }
}
