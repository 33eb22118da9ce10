import Foundation
import Models
import SwiftData
import Testing

/// Each test has a store of its own, in memory.
@Suite struct TripTests {
  let context: ModelContext

  init() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    context = ModelContext(
      try ModelContainer(for: Trip.self, Stop.self, configurations: configuration))
  }

  @Test func onlyLaterTripsAreUpcoming() throws {
    context.insert(Trip(name: "Oslo", start: .distantPast, end: .now))
    context.insert(Trip(name: "Rome", start: .distantFuture, end: .distantFuture))
    try context.save()
    #expect(try context.fetch(Trip.upcoming(after: .now)).map(\.name) == ["Rome"])
  }

  @Test func stopsGoWithTheirTrip() throws {
    let trip = Trip(name: "Rome", start: .now, end: .distantFuture)
    trip.stops = [Stop(place: "Milan", nights: 1), Stop(place: "Florence", nights: 2)]
    context.insert(trip)
    try context.save()
    context.delete(trip)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
  }

  @Test func aKnownPlaceGetsTheNewValues() throws {
    context.insert(Stop(place: "Milan", nights: 1))
    try context.save()
    context.insert(Stop(place: "Milan", nights: 3))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Stop>()).map(\.nights) == [3])
  }
}
