import Foundation
import SwiftData
import SwiftDataSync
import Testing

@Model final class Drawer {
  @Attribute(.unique) var name: String
  @Attribute(.unique) var code: Int
  @Relationship(deleteRule: .cascade, inverse: \Sheet.drawer) var sheets: [Sheet] = []
  @Relationship(deleteRule: .cascade, inverse: \Slip.drawer) var slips: [Slip] = []

  init(_ name: String, code: Int) {
    self.name = name
    self.code = code
  }
}

@Model final class Sheet {
  @Attribute(.unique) var number: Int
  var text = ""
  var drawer: Drawer

  init(_ number: Int, _ drawer: Drawer) {
    self.number = number
    self.drawer = drawer
  }
}

@Model final class Slip {
  @Attribute(.unique) var number: Int
  var text = ""
  var drawer: Drawer?

  init(_ number: Int, _ drawer: Drawer?) {
    self.number = number
    self.drawer = drawer
  }
}

/// A list without an inverse.
@Model final class Chest {
  @Attribute(.unique) var number: Int
  @Relationship(inverse: nil) var drawers: [Drawer] = []

  init(_ number: Int, _ drawers: [Drawer]) {
    self.number = number
    self.drawers = drawers
  }
}

/// The fate of objects that refer to another one: it gets another key, or the reference changes.
@Suite struct ChangedKeyTests {
  private let types: [any PersistentModel.Type] = [
    Drawer.self, Sheet.self, Slip.self, Chest.self,
  ]
  private let there: ModelContainer
  private let server: SyncServer
  private let ann: Peer
  private let bob: Peer

  init() throws { try self.init(policy: .serverWins) }

  /// - Parameter batch: The maximum number of changes that Bob sends together; nil for the usual one.
  private init(policy: SyncPolicy, batch: Int? = nil) throws {
    let models = [
      SyncedModel(Drawer.self, key: \.name, policy: policy),
      SyncedModel(Sheet.self, key: \.number, policy: policy),
      SyncedModel(Slip.self, key: \.number, policy: policy),
      SyncedModel(Chest.self, key: \.number, policy: policy),
    ]
    there = try Peer.container(types)
    server = try SyncServer(there, models: models, rules: .everyoneSeesEverything)
    ann = try Peer(server, types, models)
    bob = try Peer(server, types, models, limit: 1, batch: batch)
  }

  /// A drawer with its contents, on all sides.
  private func begin() async throws {
    try ann.edit { context in
      let drawer = Drawer("old", code: 1)
      context.insert(Sheet(1, drawer))
      context.insert(Slip(1, drawer))
      context.insert(Chest(1, [drawer]))
    }
    try await synchronize()
  }

  private func synchronize() async throws {
    for _ in 0..<3 {
      try await ann.engine.sync()
      try await bob.engine.sync()
    }
  }

  private func editThere(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(there)
    try body(context)
    try context.save()
  }

  /// Returns the drawer of each object, with the drawers.
  private func contents(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    let drawers = try context.fetch(FetchDescriptor<Drawer>()).map { "drawer \($0.name)" }
    let sheets = try context.fetch(FetchDescriptor<Sheet>()).map {
      "sheet \($0.number) in \($0.drawer.name) \($0.text)"
    }
    let slips = try context.fetch(FetchDescriptor<Slip>()).map {
      "slip \($0.number) in \($0.drawer?.name ?? "none") \($0.text)"
    }
    let chests = try context.fetch(FetchDescriptor<Chest>()).map {
      "chest \($0.number) with \($0.drawers.map(\.name).sorted())"
    }
    return (drawers + sheets + slips + chests).sorted()
  }

  private func expectEverywhere(_ expected: [String]) async throws {
    for container in [there, ann.container, bob.container] {
      #expect(try contents(container) == expected.sorted())
    }
    for peer in [ann, bob] {
      #expect(try await peer.engine.unsynced().isEmpty)
      #expect(try await peer.engine.conflicts().isEmpty)
    }
  }

  private func everything(in name: String, text: String = "") -> [String] {
    [
      "drawer \(name)", "sheet 1 in \(name) \(text)", "slip 1 in \(name) \(text)",
      "chest 1 with [\"\(name)\"]",
    ]
  }

  private func rename(_ name: String, _ context: ModelContext) throws {
    try #require(try context.fetch(FetchDescriptor<Drawer>()).first).name = name
  }

  @Test func anObjectWhoseKeyAClientChangesKeepsItsReferences() async throws {
    try await begin()
    try bob.edit { try rename("new", $0) }
    try await bob.engine.sync()
    try await synchronize()
    try await expectEverywhere(everything(in: "new"))
  }

  @Test func anObjectWhoseKeyAProgramChangesKeepsItsReferences() async throws {
    try await begin()
    try editThere { try rename("new", $0) }
    try await synchronize()
    try await expectEverywhere(everything(in: "new"))
    try editThere { try rename("old", $0) }
    try await synchronize()
    try await expectEverywhere(everything(in: "old"))
  }

  @Test func anInsertionOfAKnownValueKeepsTheReferencesOfTheRow() async throws {
    try await begin()
    try bob.edit { $0.insert(Drawer("new", code: 1)) }
    try await bob.engine.sync()
    try await synchronize()
    try await expectEverywhere(everything(in: "new"))
    try editThere { $0.insert(Drawer("newer", code: 1)) }
    try await synchronize()
    try await expectEverywhere(everything(in: "newer"))
  }

  // MARK: Saves that are too large to be sent together

  /// Sheets and slips beside the first ones.
  private let others = 2...5

  /// A drawer with more contents than Bob sends together, on all sides.
  private static func large(_ policy: SyncPolicy) async throws -> Self {
    let world = try Self(policy: policy, batch: 4)
    try await world.begin()
    try world.ann.edit { context in
      let drawer = try #require(try context.fetch(FetchDescriptor<Drawer>()).first)
      for number in world.others {
        context.insert(Sheet(number, drawer))
        context.insert(Slip(number, drawer))
      }
    }
    try await world.synchronize()
    return world
  }

  private func expectAllEverywhere(in name: String) async throws {
    let more = others.flatMap { ["sheet \($0) in \(name) ", "slip \($0) in \(name) "] }
    try await expectEverywhere(everything(in: name) + more)
  }

  @Test(arguments: [SyncPolicy.serverWins, .clientWins])
  func anObjectWithManyReferencesKeepsThemWhenAClientChangesItsKey(
    policy: SyncPolicy
  ) async throws {
    let world = try await Self.large(policy)
    try world.bob.edit { try world.rename("new", $0) }
    try await world.bob.engine.sync()
    try await world.synchronize()
    try await world.expectAllEverywhere(in: "new")
  }

  @Test(arguments: [SyncPolicy.serverWins, .clientWins])
  func anInsertionOfAKnownValueKeepsManyReferences(policy: SyncPolicy) async throws {
    let world = try await Self.large(policy)
    try world.bob.edit { $0.insert(Drawer("new", code: 1)) }
    try await world.bob.engine.sync()
    try await world.synchronize()
    try await world.expectAllEverywhere(in: "new")
  }

  @Test(arguments: [SyncPolicy.serverWins, .clientWins])
  func aSaveThatChangesManyKeysIsSentInParts(policy: SyncPolicy) async throws {
    let world = try await Self.large(policy)
    let count = world.bob.line.pushes.count
    try world.bob.edit { context in
      for slip in try context.fetch(FetchDescriptor<Slip>()) { slip.number += 100 }
    }
    try await world.bob.engine.sync()
    #expect(world.bob.line.pushes.dropFirst(count).map(\.count) == [4, 4, 2])
    try await world.synchronize()
    let sheets = (1...5).map { "sheet \($0) in old " }
    let slips = (1...5).map { "slip \(100 + $0) in old " }
    try await world.expectEverywhere(
      ["drawer old", "chest 1 with [\"old\"]"] + sheets + slips)
  }

  @Test func anObjectWithoutOtherUniqueValuesIsSentInPartsWithItsReferences() async throws {
    let world = try Harbours(batch: 2)
    try world.ann.edit { context in
      let harbour = Harbour("old")
      for number in 1...2 {
        context.insert(Ship(number, in: harbour))
        context.insert(Buoy(number, in: harbour))
      }
    }
    try await world.sync()
    let count = world.ann.line.pushes.count
    try world.ann.edit { try $0.harbour("old").name = "new" }
    try await world.ann.engine.sync()
    #expect(world.ann.line.pushes.dropFirst(count).map(\.count) == [2, 2, 2])
    try await world.sync()
    for container in [world.there, world.ann.container, world.bob.container] {
      #expect(
        try Harbours.state(container) == [
          "new", "ship 1 in new ", "ship 2 in new ", "buoy 1 in new ", "buoy 2 in new ",
        ])
    }
    #expect(try await world.ann.engine.unsynced().isEmpty)
  }

  // MARK: Edits elsewhere

  /// The ways in which contents leave a drawer that is deleted then.
  enum Departure: CaseIterable { case rename, insertion, move }

  @Test(arguments: [SyncPolicy.serverWins, .clientWins], Departure.allCases)
  func whatIsEditedElsewhereIsNotDeletedWithWhatItLeaves(
    policy: SyncPolicy, departure: Departure
  ) async throws {
    let world = try Self(policy: policy)
    try await world.begin()
    try world.bob.edit { context in
      switch departure {
      case .rename: try world.rename("new", context)
      case .insertion: context.insert(Drawer("new", code: 1))
      case .move:
        let old = try #require(try context.fetch(FetchDescriptor<Drawer>()).first)
        let new = Drawer("new", code: 2)
        context.insert(new)
        try context.fetch(FetchDescriptor<Sheet>()).forEach { $0.drawer = new }
        try context.fetch(FetchDescriptor<Slip>()).forEach { $0.drawer = new }
        try context.fetch(FetchDescriptor<Chest>()).forEach { $0.drawers = [new] }
        context.delete(old)
      }
    }
    try world.ann.edit { context in
      try context.fetch(FetchDescriptor<Sheet>()).forEach { $0.text = "ann" }
      try context.fetch(FetchDescriptor<Slip>()).forEach { $0.text = "ann" }
    }
    try await world.ann.engine.sync()
    try await world.bob.engine.sync()
    try await world.synchronize()
    try await world.expectEverywhere(everything(in: "new", text: "ann"))
  }

  // MARK: New versions

  @Test func onlyAChangeOfTheKeyGivesTheReferringObjectsNewVersions() async throws {
    try await begin()
    try editThere { try rename("new", $0) }
    try await synchronize()
    let cursor = try await server.pull(after: nil, user: "ann").cursor
    try editThere { try #require(try $0.fetch(FetchDescriptor<Drawer>()).first).code = 2 }
    let page = try await server.pull(after: cursor, user: "ann")
    #expect(page.changes.contains { $0.object == SyncObjectID("Drawer", "new") })
    #expect(page.changes.allSatisfy { $0.object.entity == "Drawer" })
  }

  // MARK: Moves

  @Test(arguments: [SyncPolicy.serverWins, .clientWins])
  func anEditOfAnotherPropertyDoesNotUndoAMove(policy: SyncPolicy) async throws {
    let world = try Self(policy: policy)
    try await world.begin()
    try world.bob.edit { context in
      let drawer = Drawer("other", code: 2)
      context.insert(drawer)
      try #require(try context.fetch(FetchDescriptor<Sheet>()).first).drawer = drawer
      try #require(try context.fetch(FetchDescriptor<Slip>()).first).drawer = drawer
    }
    try world.ann.edit { context in
      try #require(try context.fetch(FetchDescriptor<Sheet>()).first).text = "ann"
      try #require(try context.fetch(FetchDescriptor<Slip>()).first).text = "ann"
    }
    try await world.bob.engine.sync()
    try await world.synchronize()
    try await world.expectEverywhere([
      "drawer old", "drawer other", "sheet 1 in other ann", "slip 1 in other ann",
      "chest 1 with [\"old\"]",
    ])
  }

  @Test func whatMovesToADrawerOfALaterPageSurvivesTheDeletionOfItsFormerOne() async throws {
    try await begin()
    try editThere { context in
      let drawer = Drawer("other", code: 2)
      context.insert(drawer)
      try #require(try context.fetch(FetchDescriptor<Sheet>()).first).drawer = drawer
      try #require(try context.fetch(FetchDescriptor<Slip>()).first).drawer = drawer
      try context.fetch(FetchDescriptor<Drawer>()).filter { $0.name == "old" }
        .forEach(context.delete)
    }
    _ = try await server.pull(after: nil, user: "ann")
    try editThere { context in
      try context.fetch(FetchDescriptor<Drawer>()).forEach { $0.code = 3 }
    }
    try await synchronize()
    try await expectEverywhere([
      "drawer other", "sheet 1 in other ", "slip 1 in other ", "chest 1 with []",
    ])
  }
}
