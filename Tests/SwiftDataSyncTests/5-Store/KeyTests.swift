import Foundation
import SwiftData
import SwiftDataSync
import Testing

/// The keys of objects, individually and many at once.
@Suite struct KeyTests {
  /// More keys than fit into one statement.
  private let count = 700

  @Test func manyObjectsArriveAndAreSentAtOnce() async throws {
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: .everyoneSeesEverything)
    let (ann, bob) = (try Client(server), try Client(server))
    try ann.edit { context in
      for number in 0..<count {
        let park = Park(number: number - 300, name: "\(number)")
        if number % 2 == 0 { context.insert(Booking(park: park, guests: number)) }
        context.insert(park)
      }
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    #expect(try bob.parks().map(\.number) == (0..<count).map { $0 - 300 })
    #expect(try bob.bookings().count == count / 2)
    #expect(try bob.bookings().allSatisfy { $0.park?.number == $0.parkNumber })
    try bob.edit { context in
      for park in try context.fetch(FetchDescriptor<Park>()) { park.name += "!" }
      for booking in try context.fetch(FetchDescriptor<Booking>()) where booking.guests > 600 {
        context.delete(booking)
      }
    }
    try await bob.engine.sync()
    try await ann.engine.sync()
    #expect(try ann.parks().map(\.name) == (0..<count).map { "\($0)!" })
    #expect(try ann.bookings().allSatisfy { $0.guests <= 600 })
    #expect(try await ann.engine.unsynced().isEmpty)
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  /// A UUID in lower case and a number with a sign identify the same rows.
  @Test func anotherSpellingOfAKeyIsTheSameObject() async throws {
    let rules = SyncServerRules(scope: { object, values in
      object.entity == "Booking" ? values["guests"] == .integer(1) ? "ann" : "bob" : nil
    })
    let server = try SyncServer(Fixture.container(), models: Fixture.models(), rules: rules)
    let ann = try Client(server)
    try ann.edit { $0.insert(Booking(park: Park(number: 1, name: "a"), guests: 1)) }
    try await ann.engine.sync()
    let booking = try #require(try ann.bookings().first).id.uuidString.lowercased()
    let changes = [
      SyncChange(
        id: "1", object: SyncObjectID("Booking", booking),
        content: .put(["guests": .integer(2), "parkNumber": .integer(1), "updated": .real(0)]),
        baseVersion: nil),
      SyncChange(
        id: "2", object: SyncObjectID("Park", "+1"),
        content: .put(["name": .text("b"), "mood": .text("calm")]), baseVersion: nil),
    ]
    let outcomes = try await server.push(changes, client: "c", user: "bob")
    guard case .rejected(let rejection) = outcomes["1"] else {
      Issue.record("\(String(describing: outcomes["1"]))")
      return
    }
    #expect(rejection.code == "forbidden")
    guard case .conflict(let remote) = outcomes["2"] else {
      Issue.record("\(String(describing: outcomes["2"]))")
      return
    }
    #expect(remote.object.key == "1")
    try await ann.engine.sync()
    #expect(try ann.bookings().map(\.guests) == [1])
    #expect(try ann.parks().map(\.name) == ["a"])
  }
}
