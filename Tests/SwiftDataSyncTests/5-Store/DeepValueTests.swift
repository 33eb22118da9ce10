import Foundation
import StoreTesting
import SwiftData
import Testing

@testable import SwiftDataSync

struct Twig: Codable, Equatable {
  var name = ""
  var twigs: [Twig] = []

  /// A list of twigs with a number of generations; its JSON has two levels for each, and one more.
  static func branch(_ count: Int) -> [Twig] {
    (0..<count).reversed().reduce([]) { [Twig(name: "\($1)", twigs: $0)] }
  }
}

@Model final class Shrub {
  @Attribute(.unique) var number: Int
  var name: String
  var twigs: [Twig] = []

  init(_ number: Int, _ name: String, _ twigs: [Twig] = []) {
    self.number = number
    self.name = name
    self.twigs = twigs
  }
}

/// A transport whose both sides read what the other has written.
private struct WireTransport: SyncTransport {
  let server: SyncServer

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    let request = try SyncContract.parsePushRequest(
      SyncContract.pushRequest(changes, client: client))
    let outcomes = try await server.push(request.changes, client: client, user: "ann")
    return try SyncContract.parsePushAnswer(SyncContract.pushAnswer(outcomes))
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    try SyncContract.parsePage(
      SyncContract.page(try await server.pull(after: cursor, user: "ann")))
  }
}

/// Values whose JSON has about as many levels as the documents of the contract may have.
@Suite struct DeepValueTests {
  /// The most generations whose JSON can be exchanged.
  private static let most = 29
  private let models = [SyncedModel(Shrub.self, key: \.number)]
  private let shrub = SyncObjectID("Shrub", "1")

  private struct Device {
    let container: ModelContainer
    let line: Line
    var engine: SyncEngine

    func save(_ body: (ModelContext) throws -> Void) throws {
      let context = ModelContext(container)
      try body(context)
      try context.save()
    }

    func shrubs() throws -> [Shrub] {
      try ModelContext(container).fetch(FetchDescriptor<Shrub>(sortBy: [SortDescriptor(\.number)]))
    }
  }

  private func engine(_ container: ModelContainer, _ line: Line) throws -> SyncEngine {
    try SyncEngine(container, models: models, transport: line, timing: Fixture.timing)
  }

  private func device(_ server: SyncServer) throws -> Device {
    let container = try Peer.container([Shrub.self])
    let line = Line(WireTransport(server: server))
    return Device(container: container, line: line, engine: try engine(container, line))
  }

  private func server(_ container: ModelContainer) throws -> SyncServer {
    try SyncServer(container, models: models, rules: .everyoneSeesEverything)
  }

  private func reason(_ engine: SyncEngine) async throws -> SyncQuarantine.Reason? {
    guard case .quarantined(let quarantine) = try await engine.status(of: shrub) else { return nil }
    return quarantine.reason
  }

  @Test(arguments: 27...36) func aDeviceSendsWhatTheOthersCanReadAndRefusesNothingElse(
    _ count: Int
  ) async throws {
    let server = try server(Peer.container([Shrub.self]))
    var (ann, bob) = (try device(server), try device(server))
    let branch = Twig.branch(count)
    try ann.save { context in
      context.insert(Shrub(1, "deep", branch))
      context.insert(Shrub(2, "flat"))
    }
    // The device doesn't learn the outcome, and starts anew with the changes in flight.
    ann.line.fail(SyncFailure(.offline, "cut"), answerLost: true)
    await #expect(throws: SyncFailure.self) { try await ann.engine.sync() }
    ann.line.fail(nil)
    ann.engine = try engine(ann.container, ann.line)
    for _ in 0..<2 {
      try await ann.engine.sync()
      try await bob.engine.sync()
      ann.engine = try engine(ann.container, ann.line)
    }
    let isSent = count <= Self.most
    #expect(try await ann.engine.status(of: shrub).isSynced == isSent)
    if !isSent { #expect(try await reason(ann.engine) != nil) }
    #expect(try bob.shrubs().map(\.number) == (isSent ? [1, 2] : [2]))
    #expect(try ann.shrubs().first?.twigs == branch)
    if isSent { #expect(try bob.shrubs().first?.twigs == branch) }
    // Another value ends the quarantine.
    try ann.save { context in
      for shrub in try context.fetch(FetchDescriptor<Shrub>()) { shrub.twigs = Twig.branch(3) }
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    #expect(try bob.shrubs().allSatisfy { $0.twigs == Twig.branch(3) })
    #expect(try bob.shrubs().count == 2)
  }

  @Test(arguments: 27...36) func whatAProgramSavesAtTheServerHoldsUpNoPage(
    _ count: Int
  ) async throws {
    let container = try Peer.container([Shrub.self])
    let server = try server(container)
    let context = ModelContext(container)
    let branch = Twig.branch(count)
    context.insert(Shrub(1, "deep", branch))
    context.insert(Shrub(2, "flat"))
    try context.save()
    let bob = try device(server)
    for _ in 0..<2 { try await bob.engine.sync() }
    let isSent = count <= Self.most
    #expect(try bob.shrubs().map(\.number) == (isSent ? [1, 2] : [2]))
    if isSent { #expect(try bob.shrubs().first?.twigs == branch) }
    #expect(try await reason(bob.engine) == (isSent ? nil : .unreadable))
  }

  /// The server changes another property, and the device keeps a value that it can't send.
  @Test(arguments: [29, 33]) func aMergeKeepsAValueThatIsTooDeep(_ count: Int) async throws {
    let server = try server(Peer.container([Shrub.self]))
    let (ann, bob) = (try device(server), try device(server))
    try ann.save { $0.insert(Shrub(1, "a")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    let branch = Twig.branch(count)
    try ann.save { context in
      for shrub in try context.fetch(FetchDescriptor<Shrub>()) { shrub.twigs = branch }
    }
    try bob.save { context in
      for shrub in try context.fetch(FetchDescriptor<Shrub>()) { shrub.name = "b" }
    }
    try await bob.engine.sync()
    for _ in 0..<2 { try await ann.engine.sync() }
    #expect(try ann.shrubs().map(\.name) == ["b"])
    #expect(try ann.shrubs().map(\.twigs) == [branch])
    #expect(try await (reason(ann.engine) == nil) == (count <= Self.most))
  }

  /// Earlier versions put such values into their tables.
  @Test func theBookkeepingIsReadWithEveryValueThatADocumentCanHave() throws {
    var value = SyncValue.list([])
    for _ in 1..<SyncJSON.maximumDepth { value = .list([value]) }
    let change = SyncChange(id: "1", object: shrub, content: .put(["twigs": value]), baseVersion: 1)
    let quarantine = SyncQuarantine(
      reason: .rejected(SyncRejection(code: "refused", message: "no")), date: .distantPast,
      change: change)
    let kept = try #require(try ColumnValue(json: quarantine.json).json())
    #expect(try SyncQuarantine(json: kept) == quarantine)
  }

  @Test func theLimitOfAValueFitsEveryDocument() throws {
    var value = SyncValue.list([])
    for _ in 1..<SyncJSON.maximumValueDepth { value = .list([value]) }
    let change = SyncChange(id: "1", object: shrub, content: .put(["twigs": value]), baseVersion: 1)
    let remote = SyncRemote(object: shrub, version: 1, values: ["twigs": value])
    let outcomes = ["1": SyncOutcome.conflict(remote)]
    #expect(try SyncContract.parsePushAnswer(SyncContract.pushAnswer(outcomes)) == outcomes)
    let request = try SyncContract.parsePushRequest(
      SyncContract.pushRequest([change], client: "c"))
    #expect(request.changes == [change])
    let page = SyncPage(changes: [remote], cursor: "", hasMore: false)
    #expect(try SyncContract.parsePage(SyncContract.page(page)) == page)
  }
}
