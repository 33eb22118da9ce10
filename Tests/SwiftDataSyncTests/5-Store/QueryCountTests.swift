import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataSync

/// Reads are for all objects of a page or push together: 200 objects need as many queries as 20.
@Suite("The number of queries") struct QueryCountTests {
  /// Returns the number of queries that `body` makes with each of two numbers of bookings, one for each park.
  private func counts(
    _ body: (ModelContainer, [SyncObjectID]) throws -> Void
  ) throws -> [Int] {
    try [20, 200].map { count in
      let container = try Fixture.container()
      let context = ModelContext(container)
      for number in 0..<count {
        let park = Park(number: number, name: "park \(number)")
        context.insert(park)
        context.insert(Booking(park: park, guests: number))
      }
      try context.save()
      let objects =
        try context.fetch(FetchDescriptor<Booking>()).map {
          SyncObjectID("Booking", $0.id.uuidString)
        } + (0..<count).map { SyncObjectID("Park", "\($0)") }
      return try container.recordingStatements { try body(container, objects) }.statements
        .filter { $0.sql.hasPrefix("SELECT") || $0.sql.hasPrefix("WITH") }.count
    }
  }

  private func same(_ counts: [Int]) { #expect(counts[0] > 0 && counts[0] == counts[1]) }

  @Test("of a client that reads edits and objects doesn't depend on their number")
  func clientReads() throws {
    same(
      try counts { container, objects in
        let storage = try ModelSyncStorage(container, Fixture.models())
        let edited = try storage.edits(after: 0).flatMap(\.objects)
        #expect(Set(edited).count == objects.count)
        #expect(try storage.load(objects).count == objects.count)
      })
  }

  @Test("of a client that prepares deletions doesn't depend on their number")
  func clientDeletions() throws {
    same(
      try counts { container, objects in
        let storage = try ModelSyncStorage(container, Fixture.models())
        let parks = objects.filter { $0.entity == "Park" }
        let dependents = try storage.dependents(of: parks, after: [])
        #expect(dependents.count == parks.count && dependents.values.allSatisfy { $0.count == 1 })
        #expect(try storage.obstacles(to: parks.map { ($0, nil) }).isEmpty)
      })
  }

  @Test("of a client that looks for waiting references doesn't depend on their number")
  func waitingReferences() throws {
    same(
      try counts { container, objects in
        let storage = try ModelSyncStorage(container, Fixture.models())
        let waiting = SyncTables.waiting
        try storage.access.store.writeSideTables { transaction in
          let rows = objects.filter { $0.entity == "Booking" }.map { object -> [ColumnValue] in
            [
              .text(object.entity), .text(object.key), .text("park"), .text("Park"), .text("-1"),
              .integer(0),
            ]
          }
          try transaction.insert(
            SideTableRows(waiting.columns.map(\.name), rows), into: waiting, existing: nil)
        }
        #expect(try storage.load(objects).count == objects.count)
        var writes = SyncWrites(SyncProgress(client: "c", acknowledged: 0))
        writes.values = objects.filter { $0.entity == "Park" }.map { ($0, [:]) }
        #expect(try storage.released(writes, beside: []).isEmpty)
      })
  }

  @Test("of a server that reads objects doesn't depend on their number")
  func serverReads() throws {
    same(
      try counts { container, objects in
        let storage = try ModelServerStorage(container, Fixture.models())
        let values = try storage.load(objects)
        #expect(values.count == objects.count)
        #expect(try storage.remembered(objects.prefix(200).map(\.key), client: "c").isEmpty)
        let bookings = values.filter { $0.key.entity == "Booking" }
        #expect(try storage.obstacles(to: bookings.map { ($0.key, $0.value.values) }).isEmpty)
      })
  }

  @Test("of a server's pull doesn't depend on the number of objects")
  func pulls() throws {
    same(
      try counts { container, objects in
        let storage = try ModelServerStorage(container, Fixture.models())
        let ledger = try SyncServerLedger(storage, storage.schema, .everyoneSeesEverything)
        let page = try ledger.pull(after: nil, user: "ann", limit: 1_000)
        #expect(page.changes.count == objects.count)
      })
  }

  @Test("A server's page reads hardly more attachments than it has")
  func attachments() throws {
    let container = try Photographer.container()
    let context = ModelContext(container)
    let album = Album(1, "all")
    context.insert(album)
    for number in 0..<60 {
      context.insert(
        Photo(number, "", Data(repeating: UInt8(number), count: 20_000), in: album))
      try context.save()
    }
    let storage = try ModelServerStorage(container, Photographer.models, maximumWeight: 50_000)
    let ledger = try SyncServerLedger(storage, storage.schema, .everyoneSeesEverything)
    _ = try ledger.pull(after: nil, user: "ann", limit: 1)
    let (page, statements) = try container.recordingStatements {
      try ledger.pull(after: nil, user: "ann", limit: 1_000)
    }
    #expect(page.changes.count == 4 && page.hasMore)
    let rows = statements.filter { $0.sql.contains("\"Photo\"") }.map(\.rows).reduce(0, +)
    #expect((3..<40).contains(rows))
  }
}
