import Foundation
import SwiftData
import SwiftDataSync
import TestSupport
import Testing

@Suite struct SyncEngineTests {
  private func server(_ rules: SyncServerRules = .everyoneSeesEverything) throws -> SyncServer {
    try SyncServer(Fixture.container(), models: Fixture.models(), rules: rules)
  }

  @Test func everyValueReachesAnotherStoreAsItIs() async throws {
    let server = try server()
    let (ann, bob) = (try Client(server), try Client(server))
    let opened = Date(timeIntervalSinceReferenceDate: 712_345_678.123_456_7)
    try ann.edit { context in
      let park = Park(number: 7, name: "Half \"Dome\"\n\u{1F3DE}")
      park.mood = .busy
      park.opened = opened
      park.spot = Spot(latitude: 37.7459, longitude: -119.5332)
      park.tags = ["granite", "dome"]
      park.image = Data([0, 1, 255])
      park.note = "stays here"
      context.insert(park)
      context.insert(Booking(park: park, guests: 2))
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    let park = try #require(try bob.parks().first)
    #expect(park.name == "Half \"Dome\"\n\u{1F3DE}")
    #expect(park.mood == .busy)
    #expect(park.opened == opened)
    #expect(park.spot == Spot(latitude: 37.7459, longitude: -119.5332))
    #expect(park.tags == ["granite", "dome"])
    #expect(park.image == Data([0, 1, 255]))
    #expect(park.note == nil)
    #expect(try bob.bookings().first?.park?.number == 7)
    #expect(try await bob.engine.pendingCount() == 0)
  }

  @Test func manyEditsAreOneRequestAndParentsComeFirst() async throws {
    let client = try Client(try server())
    try client.edit { $0.insert(Booking(park: Park(number: 1, name: "a"), guests: 1)) }
    for guests in 2...6 {
      try client.edit { context in
        for booking in try context.fetch(FetchDescriptor<Booking>()) { booking.guests = guests }
      }
    }
    try await client.engine.sync()
    let changes = client.line.pushes.flatMap(\.self)
    #expect(changes.map(\.object.entity) == ["Park", "Booking"])
    #expect(changes.last?.values?["guests"] == .integer(6))
  }

  @Test func insertedAndDeletedModelsAreNeverSent() async throws {
    let client = try Client(try server())
    try client.edit { $0.insert(Park(number: 1, name: "a")) }
    try client.edit { try $0.delete(model: Park.self) }
    try await client.engine.sync()
    #expect(client.line.pushes.isEmpty)
  }

  @Test func deletionsReachTheServerChildrenFirst() async throws {
    let server = try server()
    let (ann, bob) = (try Client(server), try Client(server))
    try ann.edit { $0.insert(Booking(park: Park(number: 1, name: "a"), guests: 1)) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit { context in
      for park in try context.fetch(FetchDescriptor<Park>()) { context.delete(park) }
    }
    try await ann.engine.sync()
    #expect(ann.line.pushes.last?.map(\.object.entity) == ["Booking", "Park"])
    try await bob.engine.sync()
    #expect(try bob.parks().isEmpty)
    #expect(try bob.bookings().isEmpty)
  }

  @Test func editsOfDifferentPropertiesAreBothKept() async throws {
    let server = try server()
    let (ann, bob) = (try Client(server), try Client(server))
    try ann.edit { $0.insert(Park(number: 1, name: "a")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit(park: 1) { $0.name = "ann's" }
    try bob.edit(park: 1) { $0.tags = ["bob"] }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try await ann.engine.sync()
    for client in [ann, bob] {
      let park = try #require(try client.parks().first)
      #expect(park.name == "ann's")
      #expect(park.tags == ["bob"])
    }
    #expect(try await bob.engine.conflicts().isEmpty)
  }

  @Test(arguments: [true, false]) func theSamePropertyIsDecidedByPolicy(
    serverWins: Bool
  ) async throws {
    let server = try server()
    let ann = try Client(server)
    let bob = try Client(server, policy: serverWins ? .serverWins : .clientWins)
    try ann.edit { $0.insert(Park(number: 1, name: "a")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit(park: 1) { $0.name = "ann's" }
    try bob.edit(park: 1) { $0.name = "bob's" }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try await ann.engine.sync()
    let name = serverWins ? "ann's" : "bob's"
    #expect(try ann.parks().first?.name == name)
    #expect(try bob.parks().first?.name == name)
    let conflict = try #require(try await bob.engine.conflicts().first)
    #expect(conflict.conflict.properties == ["name"])
    #expect(conflict.conflict.base?["name"] == .text("a"))
    #expect(conflict.decision == (serverWins ? .server : .client))
  }

  @Test(arguments: [true, false]) func aDeletionDoesNotTakeUnsentEditsAlongUnseen(
    serverWins: Bool
  ) async throws {
    let server = try server()
    let ann = try Client(server)
    let bob = try Client(server, policy: serverWins ? .serverWins : .clientWins)
    try ann.edit { $0.insert(Park(number: 1, name: "a")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit { try $0.delete(model: Park.self) }
    try await ann.engine.sync()
    bob.line.fail(SyncFailure(.refused, "not now"), pullToo: false)
    try bob.edit { context in
      for park in try context.fetch(FetchDescriptor<Park>()) {
        context.insert(Booking(park: park, guests: 3))
      }
    }
    // The booking is set aside, so the pull happens while it isn't sent.
    try await bob.engine.sync()
    bob.line.fail(nil)
    try await bob.engine.retryQuarantined()
    try await bob.engine.sync()
    try await ann.engine.sync()
    #expect(try bob.bookings().count == (serverWins ? 0 : 1))
    #expect(try ann.bookings().count == (serverWins ? 0 : 1))
    #expect(try ann.parks().count == (serverWins ? 0 : 1))
    #expect(try ann.bookings().first?.park?.number == (serverWins ? nil : 1))
    let objects = try await bob.engine.conflicts().map(\.conflict.object.entity)
    #expect(objects.contains(serverWins ? "Booking" : "Park"))
  }

  @Test func aRejectedChangeIsSetAsideAndOthersGoOn() async throws {
    let rules = SyncServerRules(
      scope: { _, _ in nil },
      validate: { _, change in
        change.values?["name"] == .text("bad")
          ? SyncRejection(code: "invalid", message: "no such name") : nil
      })
    let client = try Client(try server(rules))
    try client.edit { context in
      let park = Park(number: 1, name: "bad")
      context.insert(Booking(park: park, guests: 1))
      context.insert(Park(number: 2, name: "good"))
    }
    try await client.engine.sync()
    let park = SyncObjectID("Park", "1")
    guard case .quarantined(let quarantine) = try await client.engine.status(of: park) else {
      Issue.record("the park isn't parked")
      return
    }
    #expect(quarantine.reason == .rejected(SyncRejection(code: "invalid", message: "no such name")))
    #expect(
      try await client.engine.status(of: SyncObjectID("Park", "2")).isSynced)
    #expect(client.engine.status.state.quarantinedCount > 0)
    let count = client.line.pushes.count
    try await client.engine.sync()
    #expect(client.line.pushes.count == count)
    // An edit causes another attempt.
    try client.edit(park: 1) { $0.name = "better" }
    #expect(try await client.engine.status(of: park) == .pending)
    try await client.engine.sync()
    try await client.engine.retryQuarantined()
    try await client.engine.sync()
    #expect(try await client.engine.unsynced().isEmpty)
  }

  @Test func withoutANetworkEditsWaitAndNothingIsLost() async throws {
    let server = try server()
    let client = try Client(server)
    client.line.fail(SyncFailure(.offline, "no network"))
    try client.edit { $0.insert(Park(number: 1, name: "a")) }
    await #expect(throws: SyncFailure(.offline, "no network")) { try await client.engine.sync() }
    #expect(client.engine.status.state.activity == .offline)
    #expect(client.engine.status.state.pendingCount == 1)
    client.line.fail(nil)
    try await client.engine.sync()
    #expect(client.engine.status.state.pendingCount == 0)
    #expect(client.engine.status.state.activity == .idle)
    #expect(client.engine.status.state.lastPush["Park"] != nil)
    #expect(client.engine.status.state.lastPull != nil)
  }

  @Test func expiredCredentialsPauseUntilThereAreOthers() async throws {
    let client = try Client(try server())
    client.line.fail(SyncFailure(.authentication, "expired"))
    try client.edit { $0.insert(Park(number: 1, name: "a")) }
    await #expect(throws: SyncFailure.self) { try await client.engine.sync() }
    #expect(client.engine.status.state.activity == .paused(.authentication))
    client.line.fail(nil)
    await #expect(throws: SyncFailure.self) { try await client.engine.sync() }
    #expect(client.line.pushes.count == 1)
    await client.engine.resume()
    try await client.engine.sync()
    #expect(client.line.pushes.count == 2)
  }

  @Test func forgottenOutcomesAreComputedAgain() async throws {
    let server = try server()
    func change(_ id: String, _ name: String, _ base: Int64?) -> SyncChange {
      SyncChange(
        id: id, object: SyncObjectID("Park", "1"),
        content: .put(["name": .text(name), "mood": .text("calm")]), baseVersion: base)
    }
    let first = change("x", "a", nil)
    let answer = try await server.push([first], client: "c", user: "ann")
    guard case .accepted(let version, _, _) = answer["x"] else {
      Issue.record("the park isn't stored: \(answer)")
      return
    }
    _ = try await server.push([change("y", "b", version)], client: "d", user: "ann")
    try await server.forgetAnswers(before: .distantPast)
    // The park has changed since, so its present values aren't those that were stored then.
    #expect(
      try await server.push([first], client: "c", user: "ann")
        == ["x": .accepted(version: version)])
    try await server.forgetAnswers(before: .distantFuture)
    let second = try await server.push([first], client: "c", user: "ann")
    guard case .conflict(let remote) = second["x"] else {
      Issue.record("the change is still known: \(second)")
      return
    }
    #expect(remote.values?["name"] == .text("b"))
  }

  @Test func anAnswerThatIsLostDoesNotDoubleAnything() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("client.store")
    let server = try server()
    var ids: [String] = []
    do {
      let client = try Client(server, policy: .serverWins, at: url)
      client.line.fail(SyncFailure(.offline, "cut"), answerLost: true)
      try client.edit { $0.insert(Park(number: 1, name: "a")) }
      await #expect(throws: SyncFailure.self) { try await client.engine.sync() }
      ids = client.line.pushes.flatMap(\.self).map(\.id)
    }
    // Another process, with an edit that was made in the meantime.
    let client = try Client(server, policy: .serverWins, at: url)
    try client.edit(park: 1) { $0.name = "b" }
    try await client.engine.sync()
    #expect(client.line.pushes.first?.map(\.id) == ids)
    #expect(client.line.pushes.first?.first?.values?["name"] == .text("a"))
    #expect(try client.parks().map(\.name) == ["b"])
    #expect(try await client.engine.conflicts().isEmpty)
    let other = try Client(server)
    try await other.engine.sync()
    #expect(try other.parks().map(\.name) == ["b"])
  }

  @Test func theServerGivesKeysAndReferencesFollow() async throws {
    let rules = SyncServerRules(
      scope: { _, _ in nil },
      assignKey: { _, object, _ in
        object.entity == "Park" && object.key.hasPrefix("-") ? "4711" : nil
      })
    let server = try server(rules)
    let client = try Client(server)
    try client.edit { $0.insert(Booking(park: Park(number: -1, name: "a"), guests: 1)) }
    try await client.engine.sync()
    #expect(try client.parks().map(\.number) == [4711])
    let booking = try #require(try client.bookings().first)
    #expect(booking.park?.number == 4711)
    #expect(booking.parkNumber == 4711)
    #expect(try await client.engine.unsynced().isEmpty)
    let count = client.line.pushes.count
    try await client.engine.sync()
    #expect(client.line.pushes.count == count)
    let other = try Client(server)
    try await other.engine.sync()
    #expect(try other.bookings().first?.park?.number == 4711)
  }

  @Test(arguments: [true, false]) func aKeyFromTheServerThatAnotherModelHasUnitesThem(
    isPushedToo: Bool
  ) async throws {
    let rules = SyncServerRules(
      scope: { _, _ in nil },
      validate: { _, change in
        !isPushedToo && change.object.key == "4711"
          ? SyncRejection(code: "invalid", message: "") : nil
      },
      assignKey: { _, object, _ in
        object.entity == "Park" && object.key.hasPrefix("-") ? "4711" : nil
      })
    let server = try server(rules)
    let (ann, bob) = (try Client(server), try Client(server))
    try ann.edit { context in
      let park = Park(number: -1, name: "from the server")
      context.insert(Booking(park: park, guests: 1))
      let other = Park(number: 4711, name: "guessed")
      other.tags = ["guessed"]
      context.insert(Booking(park: other, guests: 2))
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    for client in [ann, bob] {
      #expect(try client.parks().map(\.number) == [4711])
      #expect(try client.parks().first?.name == "from the server")
    }
    #expect(try ann.bookings().map { $0.park?.number } == [4711, 4711])
    #expect(try ann.bookings().map(\.parkNumber) == [4711, 4711])
    #expect(
      try await ann.engine.conflicts().map(\.conflict.object) == [SyncObjectID("Park", "4711")])
    try await ann.engine.retryQuarantined()
    try await ann.engine.sync()
    #expect(try await ann.engine.unsynced().isEmpty)
  }

  @Test func everythingIsFetchedAnewWithoutLosingEdits() async throws {
    let server = try server()
    let (ann, bob) = (try Client(server), try Client(server))
    try ann.edit { context in
      for number in 1...3 { context.insert(Park(number: number, name: "\(number)")) }
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit { context in
      try context.delete(model: Park.self, where: #Predicate { $0.number == 2 })
    }
    try await ann.engine.sync()
    try await server.forgetTombstones(before: .distantFuture)
    bob.line.fail(SyncFailure(.offline, ""), pullToo: false)
    try bob.edit(park: 3) { $0.name = "bob's" }
    await #expect(throws: SyncFailure.self) { try await bob.engine.sync() }
    bob.line.fail(nil)
    try await bob.engine.sync()
    #expect(try bob.parks().map(\.name) == ["1", "bob's"])
    try await ann.engine.sync()
    #expect(try ann.parks().map(\.name) == ["1", "bob's"])
  }

  @Test func aChildThatComesBeforeItsParentWaitsForIt() async throws {
    let server = try server()
    let (ann, bob) = (try Client(server), try Client(server))
    try ann.edit { $0.insert(Booking(park: Park(number: 1, name: "a"), guests: 1)) }
    try await ann.engine.sync()
    // The parent's later version orders it after its child.
    try ann.edit(park: 1) { $0.name = "b" }
    try await ann.engine.sync()
    let page = try await server.pull(after: nil, user: "ann", limit: 1)
    #expect(page.changes.map(\.object.entity) == ["Booking"])
    let pages = PagedTransport(server, limit: 1)
    let engine = try SyncEngine(
      bob.container, models: Fixture.models(), transport: pages, timing: Fixture.timing)
    try await engine.sync()
    #expect(try bob.bookings().first?.park?.name == "b")
    #expect(try await engine.unsynced().isEmpty)
  }

  @Test func aModelWhoseReferenceWaitsCanBeDeleted() async throws {
    let rules = SyncServerRules(scope: { object, _ in object.entity == "Park" ? "bob" : nil })
    let server = try server(rules)
    let (ann, bob) = (try Client(server), try Client(server, user: "bob"))
    try bob.edit { $0.insert(Booking(park: Park(number: 1, name: "a"), guests: 1)) }
    try await bob.engine.sync()
    try await ann.engine.sync()
    #expect(try ann.bookings().count == 1)
    try ann.edit { try $0.delete(model: Booking.self) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    #expect(try bob.bookings().isEmpty)
  }

  @Test func aReferenceThatWaitsFindsAModelThatIsMadeHere() async throws {
    let server = try server()
    let (ann, bob) = (try Client(server), try Client(server))
    try ann.edit { $0.insert(Park(number: 1, name: "a")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try bob.edit { context in
      for park in try context.fetch(FetchDescriptor<Park>()) {
        context.insert(Booking(park: park, guests: 1))
      }
    }
    try await bob.engine.sync()
    ann.line.fail(SyncFailure(.refused, "not now"), pullToo: false)
    try ann.edit { try $0.delete(model: Park.self) }
    try await ann.engine.sync()
    #expect(try ann.bookings().map { $0.park?.number } == [nil])
    ann.line.fail(nil)
    try ann.edit { $0.insert(Park(number: 1, name: "again")) }
    try await ann.engine.sync()
    #expect(try ann.bookings().map { $0.park?.number } == [1])
    #expect(try await ann.engine.unsynced().isEmpty)
  }

  @Test func aRunningEngineSendsSaves() async throws {
    let client = try Client(try server())
    await client.engine.start()
    try client.edit { $0.insert(Park(number: 1, name: "a")) }
    for await state in client.engine.status.states
    where state.lastPush["Park"] != nil && state.pendingCount == 0 { break }
    #expect(try await client.engine.status(of: SyncObjectID("Park", "1")).isSynced)
    await client.engine.stop()
  }

  @Test func usersSeeAndChangeOnlyTheirScope() async throws {
    let rules = SyncServerRules(scope: { object, values in
      object.entity == "Park" ? values["name"]?.text : nil
    })
    let container = try Fixture.container()
    let server = try SyncServer(container, models: Fixture.models(), rules: rules)
    let (ann, bob) = (try Client(server, user: "ann"), try Client(server, user: "bob"))
    try ann.edit { $0.insert(Park(number: 1, name: "ann")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    #expect(try bob.parks().isEmpty)
    // Bob can't write it either, even if he guesses the key.
    let stolen = SyncChange(
      id: "x", object: SyncObjectID("Park", "1"), content: .delete, baseVersion: 1)
    let outcome = try await server.push([stolen], client: "c", user: "bob")["x"]
    guard case .rejected(let rejection) = outcome else {
      Issue.record("bob may delete ann's park: \(String(describing: outcome))")
      return
    }
    #expect(rejection.code == "forbidden")
    // An object that leaves a user's scope is deleted for that user.
    let context = ModelContext(container)
    for park in try context.fetch(FetchDescriptor<Park>()) { park.name = "bob" }
    try context.save()
    try await ann.engine.sync()
    try await bob.engine.sync()
    #expect(try ann.parks().isEmpty)
    #expect(try bob.parks().map(\.number) == [1])
  }

  @Test func theServersOwnModelsReachClients() async throws {
    let container = try Fixture.container()
    let context = ModelContext(container)
    context.insert(Park(number: 1, name: "there before"))
    try context.save()
    let server = try SyncServer(container, models: Fixture.models(), rules: .everyoneSeesEverything)
    let client = try Client(server)
    try await client.engine.sync()
    #expect(try client.parks().map(\.name) == ["there before"])
    context.insert(Park(number: 2, name: "later"))
    try context.save()
    try await client.engine.sync()
    #expect(try client.parks().map(\.name) == ["there before", "later"])
  }

  @Test func classesThatCannotTakePartAreRefused() throws {
    let container = try Fixture.container()
    let line = Line(LocalSyncTransport(try server(), user: "ann"))
    #expect(throws: SyncError.self) {
      try SyncEngine(
        container, models: [SyncedModel(Park.self, key: \.name)], transport: line)
    }
    #expect(throws: SyncError.self) {
      try SyncEngine(
        container, models: [SyncedModel(Booking.self, key: \.id)], transport: line)
    }
    #expect(throws: SyncError.self) {
      try SyncEngine(
        container, models: [SyncedModel(Park.self, key: \.number, excluding: [\.name])],
        transport: line)
    }
  }
}
