import SwiftData
import Testing

@Suite("To-one relationships")
struct RelationshipTests {
  @Test("inserting one model inserts all related ones, and the link survives the file")
  func reachable() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Trip.self))
      context.insert(Trip(name: "Alps", lodging: Lodging(title: "Hut")))
      #expect(context.insertedModelsArray.count == 2)
      try context.save()
    }
    let context = ModelContext(try store.container(Trip.self))
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    #expect(trip.lodging?.title == "Hut")
    #expect(trip.lodging === trip.lodging)
    #expect(trip.next == nil)
  }

  @Test("a destination set after insertion is registered too")
  func laterDestination() throws {
    let context = ModelContext(try memoryContainer(Trip.self))
    let trip = Trip(name: "a")
    context.insert(trip)
    try context.save()
    trip.lodging = Lodging(title: "new")
    try context.save()
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Trip>()).first?.lodging?.title == "new")
    trip.lodging = nil
    try context.save()
    let third = ModelContext(context.container)
    let stored = try #require(try third.fetch(FetchDescriptor<Trip>()).first)
    #expect(stored.lodging == nil)
  }

  @Test("models that refer to each other are saved in one transaction")
  func cycle() throws {
    let container = try memoryContainer(Trip.self)
    let context = ModelContext(container)
    let first = Trip(name: "a")
    let second = Trip(name: "b")
    first.next = second
    second.next = first
    context.insert(first)
    try context.save()
    let sort = [SortDescriptor(\Trip.name)]
    let fresh = ModelContext(container)
    let trips = try fresh.fetch(FetchDescriptor<Trip>(sortBy: sort))
    #expect(trips.map(\.next?.name) == ["b", "a"])
  }

  @Test("deleting the destination empties the reference, deleting the owner cascades")
  func deleteRules() throws {
    let container = try memoryContainer(Trip.self)
    let context = ModelContext(container)
    let trip = Trip(name: "a", lodging: Lodging(title: "x"))
    let other = Trip(name: "b", lodging: Lodging(title: "y"))
    context.insert(trip)
    context.insert(other)
    try context.save()
    if let lodging = trip.lodging { context.delete(lodging) }
    context.delete(other)
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.fetch(FetchDescriptor<Trip>()).map(\.lodging) == [nil])
    #expect(try fresh.fetchCount(FetchDescriptor<Lodging>()) == 0)
  }

  @Test("predicates look through the reference")
  func predicate() throws {
    let context = ModelContext(try memoryContainer(Trip.self))
    for name in ["a", "b", "c"] {
      context.insert(Trip(name: name, lodging: name == "c" ? nil : Lodging(title: "at \(name)")))
    }
    try context.save()
    let found = try context.fetch(
      FetchDescriptor<Trip>(predicate: #Predicate { $0.lodging?.title == "at b" }))
    #expect(found.map(\.name) == ["b"])
    let without = try context.fetch(
      FetchDescriptor<Trip>(predicate: #Predicate { $0.lodging == nil }))
    #expect(without.map(\.name) == ["c"])
  }
}
