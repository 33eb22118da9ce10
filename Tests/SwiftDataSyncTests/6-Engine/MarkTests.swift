import Foundation
import StoreTesting
import SwiftData
import SwiftDataSync
import Testing

/// A model without default values.
@Model final class Errand {
  @Attribute(.unique) var id: UUID
  var text: String
  var color: Int
  var isDirty: Bool
  var lastSynced: Date

  init(_ text: String) {
    id = UUID()
    self.text = text
    color = 3
    isDirty = true
    lastSynced = .distantPast
  }
}

@Suite struct MarkTests {
  private let server: SyncServer

  init() throws {
    server = try SyncServer(Self.container(), models: Self.models, rules: .everyoneSeesEverything)
  }

  private static var models: [SyncedModel] {
    [
      SyncedModel(
        Errand.self, key: \.id, local: [.init(\.color, default: 7)],
        marks: [.hasEdits(\.isDirty), .lastAgreed(\.lastSynced)])
    ]
  }

  private static func container() throws -> ModelContainer {
    try memoryContainer(Errand.self)
  }

  private struct Device {
    let container: ModelContainer
    let line: Line
    let engine: SyncEngine

    init(_ server: SyncServer) throws {
      container = try MarkTests.container()
      line = Line(LocalSyncTransport(server, user: "ann"))
      engine = try SyncEngine(
        container, models: MarkTests.models, transport: line, timing: Fixture.timing)
    }

    func edit(_ body: (ModelContext) throws -> Void) throws {
      let context = ModelContext(container)
      try body(context)
      try context.save()
    }

    func errand() throws -> Errand {
      try #require(try ModelContext(container).fetch(FetchDescriptor<Errand>()).first)
    }

    func write(_ text: String) throws {
      try edit { for errand in try $0.fetch(FetchDescriptor<Errand>()) { errand.text = text } }
    }
  }

  @Test func aModelShowsWhetherItHasUnsentEdits() async throws {
    let device = try Device(server)
    let start = Date()
    try device.edit { $0.insert(Errand("a")) }
    try await device.engine.sync()
    #expect(try !device.errand().isDirty)
    let agreed = try device.errand().lastSynced
    #expect(agreed >= start)
    device.line.fail(SyncFailure(.offline, "no network"))
    try device.write("b")
    await #expect(throws: SyncFailure.self) { try await device.engine.sync() }
    #expect(try device.errand().isDirty)
    #expect(try device.errand().lastSynced == agreed)
    device.line.fail(nil)
    try await device.engine.sync()
    #expect(try !device.errand().isDirty)
    #expect(try device.errand().lastSynced > agreed)
    // Changes of the bookkeeping properties aren't edits.
    let count = device.line.pushes.count
    try device.edit { for errand in try $0.fetch(FetchDescriptor<Errand>()) { errand.color = 1 } }
    #expect(try await device.engine.unsynced().isEmpty)
    try await device.engine.sync()
    #expect(device.line.pushes.count == count)
  }

  @Test func anEditThatIsTakenBackLeavesNoMark() async throws {
    let device = try Device(server)
    try device.edit { $0.insert(Errand("a")) }
    try await device.engine.sync()
    device.line.fail(SyncFailure(.offline, "no network"))
    try device.write("b")
    await #expect(throws: SyncFailure.self) { try await device.engine.sync() }
    device.line.fail(nil)
    try await device.engine.sync()
    try device.write("c")
    try device.write("b")
    try await device.engine.sync()
    #expect(try !device.errand().isDirty)
  }

  @Test func modelsFromTheServerGetTheValuesThatTheRegistrationNames() async throws {
    let (one, other) = (try Device(server), try Device(server))
    let start = Date()
    try one.edit { $0.insert(Errand("a")) }
    try await one.engine.sync()
    try await other.engine.sync()
    let errand = try other.errand()
    #expect(errand.text == "a")
    #expect(errand.color == 7)
    #expect(!errand.isDirty)
    #expect(errand.lastSynced >= start)
    // A pull without changes doesn't update them.
    let agreed = errand.lastSynced
    try await other.engine.sync()
    #expect(try other.errand().lastSynced == agreed)
    #expect(try await other.engine.unsynced().isEmpty)
  }

  @Test func aRunningEngineMarksEditsThoughItCannotSendThem() async throws {
    let device = try Device(server)
    try device.edit { $0.insert(Errand("a")) }
    try await device.engine.sync()
    await device.engine.setOnline(false)
    await device.engine.start()
    let token = try device.container.currentHistoryToken()
    try device.write("b")
    for try await transaction in device.container.remoteChanges(after: token)
    where transaction.author == "sync" { break }
    #expect(try device.errand().isDirty)
    await device.engine.stop()
  }
}
