import Foundation
import StoreTesting
import SwiftData
import SwiftDataSync
import Testing

private enum Device {
  /// A model that an import creates, with the user's annotations.
  @Model final class Hill {
    @Attribute(.unique) var number: Int
    var name: String
    var isFavorite: Bool
    var note: String

    init(number: Int, name: String, isFavorite: Bool = false, note: String = "") {
      self.number = number
      self.name = name
      self.isFavorite = isFavorite
      self.note = note
    }
  }
}

private enum Remote {
  @Model final class Hill {
    @Attribute(.unique) var number: Int
    var isFavorite: Bool
    var note: String

    init(number: Int) {
      self.number = number
      isFavorite = false
      note = ""
    }
  }
}

private func container(_ type: any PersistentModel.Type) throws -> ModelContainer {
  try memoryContainer(for: Schema([type]))
}

private final class Owner: Sendable {
  let container: ModelContainer
  let engine: SyncEngine
  let line: Line

  init(_ server: SyncServer, policy: SyncPolicy = .clientWins) throws {
    container = try SwiftDataSyncTests.container(Device.Hill.self)
    line = Line(LocalSyncTransport(server, user: "ann"))
    engine = try SyncEngine(
      container,
      models: [
        SyncedModel(
          annotating: Device.Hill.self, key: \.number,
          properties: [.init(\.isFavorite, default: false), .init(\.note, default: "")],
          policy: policy)
      ], transport: line, timing: Fixture.timing)
  }

  func work(author: String? = nil, _ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    context.author = author
    try body(context)
    try context.save()
  }

  func bring(_ numbers: Int..., name: String = "a") throws {
    try work(author: "import") { context in
      for number in numbers { context.insert(Device.Hill(number: number, name: name)) }
    }
  }

  func edit(_ number: Int, _ body: (Device.Hill) -> Void) throws {
    try work { context in
      for hill in try context.fetch(FetchDescriptor<Device.Hill>()) where hill.number == number {
        body(hill)
      }
    }
  }

  /// Returns the number, mark and note of each hill.
  func hills() throws -> [String] {
    try ModelContext(container).fetch(
      FetchDescriptor<Device.Hill>(sortBy: [SortDescriptor(\.number)])
    ).map { "\($0.number) \($0.isFavorite) \($0.note)" }
  }
}

@Suite struct AnnotationTests {
  private let server: SyncServer

  init() throws {
    server = try SyncServer(
      try container(Remote.Hill.self), models: [SyncedModel(Remote.Hill.self, key: \.number)],
      rules: .everyoneSeesEverything)
  }

  @Test func importsAreNoEdits() async throws {
    let owner = try Owner(server)
    try owner.bring(1, 2, 3)
    #expect(try await owner.engine.pendingCount() == 0)
    try owner.work(author: "another import") { context in
      for hill in try context.fetch(FetchDescriptor<Device.Hill>()) { hill.name = "b" }
    }
    #expect(try await owner.engine.unsynced().isEmpty)
    try await owner.engine.sync()
    #expect(owner.line.pushes.isEmpty)
  }

  @Test func onlyTheNamedPropertiesAreSent() async throws {
    let (owner, other) = (try Owner(server), try Owner(server))
    try owner.bring(1, 2)
    try other.bring(1, 2, name: "another name")
    try owner.edit(1) { $0.isFavorite = true }
    #expect(try await owner.engine.pendingCount() == 1)
    let report = try await owner.engine.sync()
    #expect(report.sent == 1)
    let values = owner.line.pushes.flatMap(\.self).compactMap(\.values)
    #expect(values == [["isFavorite": .boolean(true), "note": .text("")]])
    #expect(try await other.engine.sync().received == 1)
    #expect(try other.hills() == ["1 true ", "2 false "])
    let names = try ModelContext(other.container).fetch(FetchDescriptor<Device.Hill>()).map(\.name)
    #expect(names == ["another name", "another name"])
    #expect(other.line.pushes.isEmpty)
  }

  @Test func theDefaultsAreNoObjectOnTheServer() async throws {
    let (owner, other) = (try Owner(server), try Owner(server))
    for one in [owner, other] { try one.bring(1) }
    try owner.edit(1) { $0.isFavorite = true }
    try await owner.engine.sync()
    try await other.engine.sync()
    try other.edit(1) { $0.isFavorite = false }
    try await other.engine.sync()
    #expect(try await server.pull(after: nil, user: "ann").changes.allSatisfy { $0.values == nil })
    try await owner.engine.sync()
    #expect(try owner.hills() == ["1 false "])
    #expect(try await owner.engine.conflicts().isEmpty)
  }

  @Test func annotationsOfBothSidesAreKept() async throws {
    let (owner, other) = (try Owner(server), try Owner(server))
    for one in [owner, other] { try one.bring(1) }
    try owner.edit(1) { $0.isFavorite = true }
    try other.edit(1) { $0.note = "steep" }
    for one in [owner, other, owner] { try await one.engine.sync() }
    #expect(try owner.hills() == ["1 true steep"])
    #expect(try other.hills() == ["1 true steep"])
    #expect(try await other.engine.conflicts().isEmpty)
  }

  @Test func newsOfAModelThatIsNotHereWaitForIt() async throws {
    let (owner, other) = (try Owner(server), try Owner(server))
    try owner.bring(1, 2)
    try owner.edit(1) { $0.isFavorite = true }
    try owner.edit(2) { $0.isFavorite = true }
    try await owner.engine.sync()
    try await other.engine.sync()
    #expect(try other.hills().isEmpty)
    #expect(try await other.engine.unsynced().isEmpty)
    try other.bring(1, 2)
    // Edited before the engine has processed the row.
    try other.edit(2) { $0.note = "steep" }
    #expect(try await other.engine.unsynced().map(\.object.key) == ["2"])
    try await other.engine.sync()
    #expect(try other.hills() == ["1 true ", "2 true steep"])
    #expect(other.line.pushes.flatMap(\.self).map(\.object.key) == ["2"])
    #expect(try await other.engine.unsynced().isEmpty)
  }

  @Test func aModelThatReturnsGetsItsAnnotationsAgain() async throws {
    let owner = try Owner(server)
    try owner.bring(1)
    try owner.edit(1) { $0.isFavorite = true }
    try await owner.engine.sync()
    try owner.work { try $0.delete(model: Device.Hill.self) }
    try await owner.engine.sync()
    #expect(try await server.pull(after: nil, user: "ann").changes.count { $0.values != nil } == 1)
    try owner.bring(1)
    try await owner.engine.sync()
    #expect(try owner.hills() == ["1 true "])
    // Deleted and imported again between two syncs.
    try owner.work { try $0.delete(model: Device.Hill.self) }
    try owner.bring(1)
    try await owner.engine.sync()
    #expect(try owner.hills() == ["1 true "])
    #expect(owner.line.pushes.count == 1)
    // Edits of the new row are sent.
    try owner.edit(1) { $0.isFavorite = false }
    try await owner.engine.sync()
    #expect(owner.line.pushes.last?.map(\.content) == [.delete])
  }

  @Test func aLostResponseDoesNotUndoTheUsersEdits() async throws {
    let owner = try Owner(server)
    try owner.bring(1)
    try owner.edit(1) { $0.isFavorite = true }
    owner.line.fail(SyncFailure(.offline, "cut"), answerLost: true)
    await #expect(throws: SyncFailure.self) { try await owner.engine.sync() }
    try owner.work { try $0.delete(model: Device.Hill.self) }
    try owner.bring(1)
    owner.line.fail(nil)
    try await owner.engine.sync()
    #expect(try owner.hills() == ["1 true "])
    #expect(try await owner.engine.unsynced().isEmpty)
  }

  @Test func annotationsThatCannotBeAreRefused() throws {
    let hills = try container(Device.Hill.self)
    let line = Line(LocalSyncTransport(server, user: "ann"))
    for model in [
      SyncedModel(annotating: Device.Hill.self, key: \.number, properties: []),
      SyncedModel(
        annotating: Device.Hill.self, key: \.number, properties: [.init(\.number, default: 0)]),
      SyncedModel(
        annotating: Device.Hill.self, key: \.number, properties: [.init(\.note, default: "")],
        policy: .latestWins(property: "name")),
    ] {
      #expect(throws: SyncError.self) { try SyncEngine(hills, models: [model], transport: line) }
    }
    #expect(throws: SyncError.self) {
      try SyncServer(
        hills,
        models: [
          SyncedModel(
            annotating: Device.Hill.self, key: \.number, properties: [.init(\.note, default: "")])
        ], rules: .everyoneSeesEverything)
    }
    // A park may not be on the server, so no booking can be sent with a park's key.
    #expect(throws: SyncError.self) {
      try SyncEngine(
        try Fixture.container(),
        models: [
          SyncedModel(
            annotating: Park.self, key: \.number, properties: [.init(\.note, default: nil)]),
          SyncedModel(Booking.self, key: \.id),
        ], transport: line)
    }
  }
}
