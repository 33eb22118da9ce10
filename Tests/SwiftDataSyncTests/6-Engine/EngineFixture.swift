import Foundation
import StoreTesting
import SwiftData
import SwiftDataSync
import Synchronization

struct Spot: Codable, Hashable {
  var latitude: Double
  var longitude: Double
}

enum Mood: String, Codable { case calm, busy }

@Model final class Park {
  @Attribute(.unique) var number: Int
  var name: String
  var mood: Mood
  var opened: Date?
  var spot: Spot?
  var tags: [String] = []
  var image: Data?
  var note: String?
  @Relationship(deleteRule: .cascade, inverse: \Booking.park) var bookings: [Booking] = []

  init(number: Int, name: String) {
    self.number = number
    self.name = name
    mood = .calm
  }
}

@Model final class Booking {
  @Attribute(.unique) var id: UUID
  var park: Park?
  var parkNumber: Int
  var guests: Int
  var updated: Double

  init(park: Park, guests: Int) {
    id = UUID()
    self.park = park
    parkNumber = park.number
    self.guests = guests
    updated = 0
  }
}

enum Fixture {
  static func models(_ policy: SyncPolicy = .serverWins) -> [SyncedModel] {
    [
      SyncedModel(Park.self, key: \.number, policy: policy, excluding: [\.note]),
      SyncedModel(
        Booking.self, key: \.id, policy: policy,
        references: [.init(\Booking.parkNumber, to: Park.self)]),
    ]
  }

  static func container(_ url: URL? = nil) throws -> ModelContainer {
    let schema = Schema([Park.self, Booking.self])
    guard let url else { return try memoryContainer(for: schema) }
    return try ModelContainer(
      for: schema, configurations: [ModelConfiguration(schema: schema, url: url)])
  }

  static var timing: SyncTiming {
    var timing = SyncTiming()
    timing.pullInterval = nil
    timing.baseDelay = .milliseconds(1)
    timing.maximumDelay = .milliseconds(2)
    return timing
  }
}

/// A store and its engine, with a server in the same process; a test can intercept the connection.
final class Client: Sendable {
  let container: ModelContainer
  let engine: SyncEngine
  let line: Line

  convenience init(
    _ server: SyncServer, user: String = "ann", policy: SyncPolicy = .serverWins, at url: URL? = nil
  ) throws {
    try self.init(through: LocalSyncTransport(server, user: user), policy: policy, at: url)
  }

  init(
    through transport: any SyncTransport, policy: SyncPolicy = .serverWins, at url: URL? = nil
  ) throws {
    container = try Fixture.container(url)
    line = Line(transport)
    engine = try SyncEngine(
      container, models: Fixture.models(policy), transport: line, timing: Fixture.timing)
  }

  func edit(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  func parks() throws -> [Park] {
    try ModelContext(container).fetch(FetchDescriptor<Park>(sortBy: [SortDescriptor(\.number)]))
  }

  func bookings() throws -> [Booking] {
    try ModelContext(container).fetch(FetchDescriptor<Booking>())
  }

  func edit(park number: Int, _ body: @escaping (Park) -> Void) throws {
    try edit { context in
      let found = try context.fetch(
        FetchDescriptor<Park>(predicate: #Predicate { $0.number == number }))
      for park in found { body(park) }
    }
  }
}

extension SyncObjectStatus {
  var isSynced: Bool { if case .synced = self { true } else { false } }
}

/// A transport that records its pushes and fails on request.
final class Line: SyncTransport {
  struct Trouble: Sendable {
    var failure: SyncFailure?
    /// Whether the server receives the request nevertheless.
    var isAnswerLost = false
    var isPullAffected = true
  }

  private let transport: any SyncTransport
  private let state = Mutex((trouble: Trouble(), pushes: [[SyncChange]]()))
  private let pullFailure = Mutex<SyncFailure?>(nil)
  private let meanwhile = Mutex<(pulls: Int, body: (@Sendable () throws -> Void)?)>((0, nil))

  init(_ transport: any SyncTransport) { self.transport = transport }

  var pushes: [[SyncChange]] { state.withLock { $0.pushes } }

  func fail(_ failure: SyncFailure?, answerLost: Bool = false, pullToo: Bool = true) {
    state.withLock { state in
      state.trouble = Trouble(
        failure: failure, isAnswerLost: answerLost, isPullAffected: pullToo)
    }
  }

  /// Lets pulls fail, and only those.
  func failPulls(_ failure: SyncFailure?) {
    pullFailure.withLock { $0 = failure }
  }

  /// Calls `body` before the pull with this number, counted from now.
  func beforePull(_ number: Int, _ body: @escaping @Sendable () throws -> Void) {
    meanwhile.withLock { $0 = (number, body) }
  }

  func push(
    _ changes: [SyncChange], client: String
  ) async throws -> [String: SyncOutcome] {
    let trouble = state.withLock { state in
      state.pushes.append(changes)
      return state.trouble
    }
    if let failure = trouble.failure, !trouble.isAnswerLost { throw failure }
    let answer = try await transport.push(changes, client: client)
    if let failure = trouble.failure { throw failure }
    return answer
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    let body = meanwhile.withLock { meanwhile in
      meanwhile.pulls -= 1
      return meanwhile.pulls == 0 ? meanwhile.body : nil
    }
    try body?()
    if let failure = pullFailure.withLock(\.self) { throw failure }
    let trouble = state.withLock { $0.trouble }
    if let failure = trouble.failure, trouble.isPullAffected { throw failure }
    return try await transport.pull(after: cursor, client: client)
  }
}
