import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

@Suite struct SyncTablesTests {
  /// The former table, in which a property could wait for one object only.
  private let oldTable = SideTable(
    "_sync_waiting",
    [
      .init("entity", .text), .init("key", .text), .init("property", .text),
      .init("destinationEntity", .text), .init("destinationKey", .text),
    ], key: .ordered(["entity", "key", "property"]),
    indices: [.init("_sync_waiting_destination", ["destinationEntity", "destinationKey"])])

  /// Gives a store the former table, with the references that wait.
  private func age(_ container: ModelContainer) throws {
    let store = try #require(container.core.capabilities.first?.keyedRows)
    try store.writeSideTables { transaction in
      var rows = SideTableRows(oldTable.columns.map(\.name))
      try transaction.forEachRow(SideTableQuery(oldTable, rows.columns)) { rows.append($0) }
      #expect(!rows.isEmpty)
      try transaction.removeSideTable(oldTable.name)
      try transaction.create(oldTable)
      try transaction.insert(rows, into: oldTable, existing: nil)
    }
  }

  @Test func referencesThatWaitedInAnOlderStoreWaitOn() async throws {
    let rules = SyncServerRules(scope: { object, _ in object.entity == "Park" ? "bob" : nil })
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: rules)
    let (ann, bob) = (try Client(server), try Client(server, user: "bob"))
    try bob.edit { $0.insert(Booking(park: Park(number: 1, name: "a"), guests: 1)) }
    try await bob.engine.sync()
    try await ann.engine.sync()
    try age(ann.container)
    let line = Line(LocalSyncTransport(server, user: "ann"))
    let engine = try SyncEngine(
      ann.container, models: Fixture.models(), transport: line, timing: Fixture.timing)
    // An edit of another property doesn't remove the reference on the server.
    try ann.edit { context in
      for booking in try context.fetch(FetchDescriptor<Booking>()) { booking.guests = 2 }
    }
    try await engine.sync()
    #expect(line.pushes.flatMap(\.self).map { $0.values?["park"] } == [.text("1")])
    try await bob.engine.sync()
    #expect(try bob.bookings().first?.park?.number == 1)
    #expect(try bob.bookings().first?.guests == 2)
  }

  @Test func objectsThatWaitedForAParentInAnOlderStoreWaitOn() async throws {
    let types: [any PersistentModel.Type] = [Fellow.self, Club.self, Card.self]
    let models = [
      SyncedModel(Fellow.self, key: \.number), SyncedModel(Club.self, key: \.name),
      SyncedModel(Card.self, key: \.number),
    ]
    let rules = SyncServerRules(scope: { object, _ in object.entity == "Fellow" ? "bob" : nil })
    let server = try SyncServer(try Peer.container(types), models: models, rules: rules)
    let ann = try Peer(server, types, models)
    let bob = try Peer(server, types, models, user: "bob")
    try bob.edit { $0.insert(Card(1, "red", Fellow(1, "a"))) }
    try await bob.engine.sync()
    try await ann.engine.sync()
    #expect(try ann.all(Card.self).isEmpty)
    try age(ann.container)
    let line = Line(LocalSyncTransport(server, user: "ann"))
    let engine = try SyncEngine(
      ann.container, models: models, transport: line, timing: Fixture.timing)
    #expect(try await engine.status(of: SyncObjectID("Card", "1")).isSynced)
    try await engine.sync()
    #expect(line.pushes.isEmpty)
    #expect(try bob.all(Card.self).count == 1)
  }
}

extension SyncTablesTests {
  @Test func bookkeepingOfALaterVersionIsRefusedAndStaysAsItIs() throws {
    let later = SideTable(
      SyncTables.flights.name, SyncTables.flights.columns + [.init("signature", .blob)],
      key: .number)
    let container = try Fixture.container()
    let store = try #require(container.core.capabilities.first?.keyedRows)
    try store.writeSideTables { try $0.create(later) }
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: .everyoneSeesEverything)
    do {
      _ = try SyncEngine(
        container, models: Fixture.models(), transport: LocalSyncTransport(server, user: "ann"))
      Issue.record("An engine changes what it doesn't know.")
    } catch let error as SyncError {
      #expect(error.code == .newerFormat && error.description.contains("_sync_flight"))
    }
    let columns = try [later, SyncTables.objects].map { table in
      try store.readRows { try $0.columnNames(ofSideTable: table.name) }
    }
    #expect(columns[0].contains("signature") && columns[1].isEmpty)
  }

  @Test func aServersBookkeepingOfALaterVersionIsRefused() throws {
    let later = SideTable(
      "_syncserver_departure",
      [
        .init("version", .integer), .init("entity", .text), .init("key", .text),
        .init("scope", .text, isOptional: true), .init("reason", .text, isOptional: true),
      ], key: .ordered(["version", "entity", "key"]))
    let container = try Fixture.container()
    let store = try #require(container.core.capabilities.first?.keyedRows)
    try store.writeSideTables { try $0.create(later) }
    do {
      _ = try SyncServer(container, models: Fixture.models(), rules: .everyoneSeesEverything)
      Issue.record("A server changes what it doesn't know.")
    } catch let error as SyncError {
      #expect(error.code == .newerFormat)
    }
  }
}
