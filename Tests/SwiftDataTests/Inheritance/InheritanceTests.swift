import Foundation
import SwiftData
import Testing

@Suite("Models that inherit from models")
struct InheritanceTests {
  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Vehicle.self, Truck.self, Tanker.self, Bus.self, Garage.self)
    context = ModelContext(container)
  }

  func fresh() -> ModelContext { ModelContext(container) }

  func fill() throws {
    let garage = Garage("Main Street")
    context.insert(garage)
    context.insert(Vehicle(plate: "V1", garage: garage))
    context.insert(Truck(plate: "T1", load: 7.5))
    let tanker = Tanker(plate: "K1", liquid: "milk")
    tanker.valves = [Valve(1), Valve(2)]
    tanker.garage = garage
    garage.guarded = tanker
    context.insert(tanker)
    context.insert(Bus(plate: "B1", capacity: "large"))
    try context.save()
  }

  func plates<Model: Vehicle>(_ type: Model.Type, _ predicate: Predicate<Model>? = nil) throws
    -> [String]
  where Model: PersistentModel {
    let descriptor = FetchDescriptor<Model>(predicate: predicate)
    return try fresh().fetch(descriptor).map(\.plate).sorted()
  }

  @Test("fetching a class gives the instances of its subclasses as such")
  func polymorphic() throws {
    try fill()
    let all = try fresh().fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
    #expect(all.map(\.plate) == ["B1", "K1", "T1", "V1"])
    #expect(
      all.map { "\(type(of: $0))" } == ["Bus", "Tanker", "Truck", "Vehicle"])
    #expect((all[1] as? Tanker)?.liquid == "milk")
    #expect((all[1] as? Tanker)?.load == 30)
    #expect((all[0] as? Bus)?.capacity == "large")
    #expect((all[2] as? Truck)?.capacity == 1)
    #expect(try plates(Truck.self) == ["K1", "T1"])
    #expect(try plates(Tanker.self) == ["K1"])
    #expect(try fresh().fetchCount(FetchDescriptor<Truck>()) == 2)
  }

  @Test("predicates and sorts use inherited properties and the class's own")
  func predicates() throws {
    try fill()
    #expect(try plates(Truck.self, #Predicate { $0.plate == "K1" }) == ["K1"])
    #expect(try plates(Truck.self, #Predicate { $0.load < 10 && $0.wheels == 4 }) == ["T1"])
    #expect(
      try plates(Tanker.self, #Predicate { $0.liquid == "milk" && $0.capacity == 1 }) == ["K1"])
    #expect(try plates(Bus.self, #Predicate { $0.capacity == "large" }) == ["B1"])
    #expect(try plates(Vehicle.self, #Predicate { $0 is Truck }) == ["K1", "T1"])
    #expect(try plates(Vehicle.self, #Predicate { ($0 as? Tanker)?.liquid == "milk" }) == ["K1"])
    let sorted = try fresh().fetch(
      FetchDescriptor<Truck>(sortBy: [SortDescriptor(\.plate, order: .reverse)]))
    #expect(sorted.map(\.plate) == ["T1", "K1"])
    let byLoad = try fresh().fetch(FetchDescriptor<Truck>(sortBy: [SortDescriptor(\.load)]))
    #expect(byLoad.map(\.plate) == ["T1", "K1"])
  }

  @Test("a sort goes through inherited relationships that are unwrapped by force")
  func forcedSortThroughInherited() throws {
    let streets = ["A", "B", "C"].map { Garage($0) }
    let trucks = ["T1", "T2", "T3"].map { Truck(plate: $0, load: 1) }
    trucks[0].garage = streets[2]
    trucks[1].garage = streets[0]
    streets[1].guarded = trucks[0]
    streets[2].guarded = trucks[1]
    for street in streets { context.insert(street) }
    context.insert(trucks[2])
    try context.save()
    for context in [context, fresh()] {
      let sorted = try context.fetch(
        FetchDescriptor<Garage>(sortBy: [SortDescriptor(\.guarded!.garage!.street)]))
      #expect(sorted.map(\.street) == ["A", "C", "B"])
    }
  }

  @Test("an instance is the same by any of its classes, and its identifier names its class")
  func identity() throws {
    try fill()
    let context = fresh()
    let vehicles = try context.fetch(FetchDescriptor<Vehicle>())
    let tanker = try #require(try context.fetch(FetchDescriptor<Tanker>()).first)
    #expect(vehicles.contains { $0 === tanker })
    #expect(tanker.persistentModelID.entityName == "Tanker")
    let registered: Vehicle? = context.registeredModel(for: tanker.persistentModelID)
    #expect(registered === tanker)
    #expect(context.model(for: tanker.persistentModelID) === tanker)
    #expect(
      try context.fetchIdentifiers(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
        .map(\.entityName) == ["Bus", "Tanker", "Truck", "Vehicle"])
  }

  @Test("inherited and own properties are edited, rolled back and observed")
  func editing() throws {
    try fill()
    let context = fresh()
    let tanker = try #require(try context.fetch(FetchDescriptor<Tanker>()).first)
    tanker.wheels = 6
    tanker.load = 31
    tanker.liquid = "oil"
    #expect(tanker.changes == 1)
    context.rollback()
    #expect(tanker.wheels == 4 && tanker.load == 30 && tanker.liquid == "milk")
    nonisolated(unsafe) var fired: [String] = []
    withObservationTracking {
      _ = tanker.wheels
    } onChange: {
      fired.append("wheels")
    }
    withObservationTracking {
      _ = tanker.liquid
    } onChange: {
      fired.append("liquid")
    }
    tanker.wheels = 8
    tanker.liquid = "wine"
    #expect(fired == ["wheels", "liquid"])
    try context.save()
    #expect(try plates(Tanker.self, #Predicate { $0.wheels == 8 && $0.liquid == "wine" }) == ["K1"])
  }

  @Test("relationships to a class hold instances of its subclasses")
  func relationships() throws {
    try fill()
    let context = fresh()
    let garage = try #require(try context.fetch(FetchDescriptor<Garage>()).first)
    #expect(Set(garage.vehicles.map { "\(type(of: $0))" }) == ["Vehicle", "Tanker"])
    let tanker = try #require(garage.guarded as? Tanker)
    #expect(tanker.garage === garage)
    #expect(Set(tanker.valves.map(\.number)) == [1, 2])
    #expect(tanker.valves.allSatisfy { $0.tanker === tanker })
    tanker.garage = nil
    #expect(garage.vehicles.count == 1)
    context.delete(tanker)
    #expect(garage.guarded == nil || garage.guarded?.isDeleted == true)
    try context.save()
    #expect(try fresh().fetchCount(FetchDescriptor<Valve>()) == 0)
    #expect(try plates(Vehicle.self) == ["B1", "T1", "V1"])
  }

  @Test("an inherited unique key upserts within the class and refuses another class")
  func upsert() throws {
    try fill()
    let other = fresh()
    other.insert(Truck(plate: "T1", load: 9))
    try other.save()
    #expect(try plates(Truck.self, #Predicate { $0.load == 9 }) == ["T1"])
    let third = fresh()
    third.insert(Bus(plate: "T1", capacity: "small"))
    let error = #expect(throws: StoreError.self) { try third.save() }
    #expect(error?.code == .notUnique)
    let message = "\(try #require(error))"
    #expect(message.contains("a Bus would replace row"), "\(message)")
    #expect(message.contains("is a Truck; a model can't change its class"), "\(message)")
    #expect(try plates(Vehicle.self).count == 4)
  }

  @Test("a new model gets the unique value that one of another class gives up in the same save")
  func givenUp() throws {
    try fill()
    let other = fresh()
    let truck = try #require(
      try other.fetch(FetchDescriptor<Truck>(predicate: #Predicate { $0.plate == "T1" })).first)
    truck.plate = "T2"
    other.insert(Bus(plate: "T1", capacity: "small"))
    try other.save()
    #expect(try plates(Truck.self, #Predicate { $0.plate == "T2" }) == ["T2"])
    #expect(try plates(Bus.self, #Predicate { $0.plate == "T1" }) == ["T1"])
  }

  @Test(
    "the file has one table, and the schema has the superclasses",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func introspection() throws {
    try fill()
    let sqlite = try SQLiteFile(store.file)
    #expect(try sqlite.integer("SELECT count(*) FROM Vehicle WHERE _entity = 'Tanker'") == 1)
    #expect(throws: (any Error).self) {
      try sqlite.run("UPDATE Vehicle SET load = NULL WHERE plate = 'T1'")
    }
    let truck = try #require(container.schema.entity(for: Truck.self))
    #expect(truck.superentityName == "Vehicle")
    #expect(truck.subentities.map(\.name) == ["Tanker"])
    #expect(truck.storedProperties.map(\.name) == ["load", "capacity"])
    #expect(truck.inheritedProperties.map(\.name) == ["plate", "wheels", "garage"])
    #expect(Tanker.Root.self == Vehicle.self)
  }

  @Test("unsaved instances of subclasses take part in fetches of the class")
  func pending() throws {
    try fill()
    let context = fresh()
    context.insert(Tanker(plate: "A0", liquid: "water"))
    let found = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
    #expect(found.map(\.plate) == ["A0", "B1", "K1", "T1", "V1"])
  }

  @Test("pages in the order of identifiers are complete with unsaved instances")
  func pages() throws {
    for number in 0..<4 {
      context.insert(Vehicle(plate: "V\(number)"))
      context.insert(Bus(plate: "B\(number)", capacity: "small"))
    }
    try context.save()
    context.insert(Truck(plate: "new", load: 1))
    try context.fetch(FetchDescriptor<Bus>()).first?.wheels = 6
    for order in [SortOrder.forward, .reverse] {
      var descriptor = FetchDescriptor<Vehicle>(
        sortBy: [SortDescriptor(\.persistentModelID, order: order)])
      let all = try context.fetch(descriptor).map(\.plate)
      let stored = all.filter { $0 != "new" }
      #expect(all.count == 9 && (order == .forward ? all.last : all.first) == "new")
      var unpaged = descriptor
      unpaged.includePendingChanges = false
      #expect(try context.fetch(unpaged).map(\.plate) == stored)
      descriptor.fetchLimit = 2
      var pages: [String] = []
      for offset in stride(from: 0, to: 10, by: 2) {
        descriptor.fetchOffset = offset
        pages += try context.fetch(descriptor).map(\.plate)
      }
      #expect(pages == all)
    }
  }

  @Test("an inherited relationship unwrapped by force has nil first")
  func forcedSort() throws {
    try fill()
    let sort = [SortDescriptor(\Truck.garage!.street), SortDescriptor(\Truck.plate)]
    #expect(try fresh().fetch(FetchDescriptor(sortBy: sort)).map(\.plate) == ["T1", "K1"])
  }

  @Test("a batch deletion of a class takes its subclasses along, or not")
  func batchDeletion() throws {
    try fill()
    let context = fresh()
    try context.delete(model: Truck.self, includeSubclasses: false)
    try context.save()
    #expect(try plates(Vehicle.self) == ["B1", "K1", "V1"])
    try context.delete(model: Vehicle.self, where: #Predicate { $0.wheels == 4 })
    try context.save()
    #expect(try plates(Vehicle.self).isEmpty)
    #expect(try fresh().fetchCount(FetchDescriptor<Valve>()) == 0, "the cascade of a subclass")
  }

  @Test("the history names the class of each row")
  func history() throws {
    try fill()
    let context = fresh()
    let tanker = try #require(try context.fetch(FetchDescriptor<Tanker>()).first)
    tanker.wheels = 12
    try context.save()
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let names = transactions.last?.changes.map(\.changedPersistentIdentifier.entityName)
    #expect(names == ["Tanker"])
    let first = try #require(transactions.first)
    let entities = Set(first.changes.map(\.changedPersistentIdentifier.entityName))
    #expect(
      entities.isSuperset(of: ["Vehicle", "Truck", "Tanker", "Bus", "Valve", "Garage"]))
  }
}
