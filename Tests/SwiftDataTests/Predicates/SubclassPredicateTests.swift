import SwiftData
import Testing

@Suite("Predicates on subclasses and relationships to them")
struct SubclassPredicateTests {
  let container: ModelContainer

  init() throws {
    container = try memoryContainer(Vehicle.self, Truck.self, Tanker.self, Bus.self, Garage.self)
    let context = ModelContext(container)
    let tanker = Tanker(plate: "K1", liquid: "milk")
    let truck = Truck(plate: "T1", load: 5)
    let vehicles = [Vehicle(plate: "V1"), truck, tanker, Bus(plate: "B1", capacity: "large")]
    vehicles[0].wheels = 0
    let garages = ["Elm", "Oak", "Ash"].map(Garage.init)
    for garage in garages { context.insert(garage) }
    for vehicle in vehicles { context.insert(vehicle) }
    garages[0].vehicles = [vehicles[0], truck]
    garages[1].vehicles = [tanker]
    garages[0].guarded = tanker
    garages[1].guarded = truck
    try context.save()
  }

  @Test("the class of a model, fetched or reached")
  func classes() throws {
    try expectSameAnswer(#Predicate<Vehicle> { $0 is Truck }, in: container)
    try expectSameAnswer(#Predicate<Vehicle> { !($0 is Tanker) }, in: container)
    try expectSameAnswer(#Predicate<Garage> { $0.guarded is Tanker }, in: container)
    try expectSameAnswer(
      #Predicate<Garage> { $0.vehicles.contains { $0 is Tanker } }, in: container)
    try expectSameAnswer(
      #Predicate<Garage> { $0.vehicles.allSatisfy { !($0 is Tanker) } }, in: container)
  }

  @Test("properties of a subclass")
  func properties() throws {
    try expectSameAnswer(#Predicate<Vehicle> { ($0 as? Tanker)?.liquid == "milk" }, in: container)
    try expectSameAnswer(#Predicate<Vehicle> { (($0 as? Truck)?.load ?? 0) > 4 }, in: container)
    try expectSameAnswer(#Predicate<Vehicle> { ($0 as? Truck) == nil }, in: container)
    try expectSameAnswer(
      #Predicate<Garage> { $0.vehicles.contains { ($0 as? Truck)?.load == 5 } }, in: container)
    try expectSameAnswer(#Predicate<Garage> { $0.guarded?.load == 30 }, in: container)
    try expectSameAnswer(
      #Predicate<Truck> { $0.load > 9 && $0.garage?.street == "Oak" }, in: container)
  }

  @Test("identifiers name the model's own class")
  func identifiers() throws {
    let context = ModelContext(container)
    for vehicle in try context.fetch(FetchDescriptor<Vehicle>()) where vehicle is Truck {
      let id = vehicle.persistentModelID
      try expectSameAnswer(#Predicate<Vehicle> { $0.persistentModelID == id }, in: container)
      try expectSameAnswer(
        #Predicate<Garage> { $0.guarded?.persistentModelID == id }, in: container)
      try expectSameAnswer(
        #Predicate<Garage> { $0.vehicles.contains { $0.persistentModelID == id } }, in: container)
    }
  }

  @Test("unsaved changes of a subclass behind a relationship to its superclass")
  func unsavedChanges() throws {
    let context = ModelContext(container)
    let tanker = try #require(try context.fetch(FetchDescriptor<Tanker>()).first)
    tanker.wheels = 6
    let garages = FetchDescriptor<Garage>(
      predicate: #Predicate { $0.vehicles.contains { $0.wheels == 6 } })
    #expect(try context.fetch(garages).map(\.street) == ["Oak"])
  }

  @Test("arithmetic that fails for a model of another class doesn't matter")
  func otherClasses() throws {
    let zero = 0
    let descriptor = FetchDescriptor<Truck>(
      predicate: #Predicate { 12 / $0.wheels > zero })
    #expect(try ModelContext(container).fetch(descriptor).count == 2)
  }
}
