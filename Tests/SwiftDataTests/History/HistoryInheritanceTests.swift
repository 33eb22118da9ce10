import SwiftData
import Testing

@Suite("The history of subclasses")
struct HistoryInheritanceTests {
  private func context() throws -> ModelContext {
    ModelContext(
      try memoryContainer(
        Vehicle.self, Truck.self, Tanker.self, Bus.self, Valve.self, Garage.self))
  }

  @Test("has each model's class and its changed properties")
  func classes() throws {
    let context = try context()
    let truck = Truck(plate: "T", load: 1)
    context.insert(truck)
    context.insert(Bus(plate: "B", capacity: "50"))
    try context.save()
    #expect(
      Set(try context.history()[0].changes.map(\.changedPersistentIdentifier.entityName))
        == ["Truck", "Bus"])
    truck.load = 2
    truck.wheels = 6
    try context.save()
    let change = try #require(try context.history()[1].changes.first)
    guard case .update(let update as DefaultHistoryUpdate<Truck>) = change else {
      throw SwiftDataError.unknownSchema
    }
    #expect(update.changedPersistentIdentifier == truck.persistentModelID)
    #expect(update.updatedAttributes.map { "\(truck[keyPath: $0])" } == ["6", "2.0"])
    #expect(update.updatedAttributes.contains { $0 == \Truck.load })
    context.delete(truck)
    try context.save()
    let deletion = try #require(try context.history()[2].changes.first)
    guard case .delete(_ as DefaultHistoryDelete<Truck>) = deletion else {
      throw SwiftDataError.unknownSchema
    }
  }

  @Test("of a deletion by predicate has the models of the classes that are meant")
  func batchDeletion() throws {
    let context = try context()
    context.insert(Truck(plate: "T", load: 1))
    let tanker = Tanker(plate: "K", liquid: "milk")
    tanker.valves = [Valve(1)]
    context.insert(tanker)
    context.insert(Bus(plate: "B", capacity: "50"))
    try context.save()
    func deleted() throws -> Set<String> {
      Set(
        try #require(try context.history().last).changes
          .map(\.changedPersistentIdentifier.entityName))
    }
    try context.delete(model: Truck.self, includeSubclasses: false)
    try context.save()
    #expect(try deleted() == ["Truck"])
    #expect(!tanker.isDeleted)
    try context.delete(model: Truck.self)
    try context.save()
    #expect(try deleted() == ["Tanker", "Valve"])
    #expect(tanker.isDeleted)
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 1)
  }
}
