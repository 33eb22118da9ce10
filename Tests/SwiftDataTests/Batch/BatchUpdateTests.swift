import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Model
private final class BatchLamp {
  var watts = 40
  @Attribute(.ephemeral) var brightness = 1
  var power: Int {
    get { watts }
    set { watts = newValue }
  }

  init() {}
}

@Model
private final class BatchLink {
  var number = 0
  var value = 0
  var previous: BatchLink?
  @Relationship(inverse: \BatchLink.previous) var next: [BatchLink] = []
  /// Known to Swift only: an update with it changes models one by one.
  var double: Int { value * 2 }

  init(_ number: Int) {
    self.number = number
    value = 10 * number
  }
}

@Suite("A batch update")
struct BatchUpdateTests {
  private func quakes(_ count: Int = 4) throws -> (ModelContainer, ModelContext) {
    let container = try memoryContainer(Quake.self)
    let context = ModelContext(container)
    for index in 0..<count {
      context.insert(
        Quake(code: "q\(index)", magnitude: Double(index), longitude: Double(10 * index)))
    }
    try context.save()
    return (container, context)
  }

  private func magnitudes(_ container: ModelContainer) throws -> [Double] {
    try ModelContext(container).fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)]))
      .map(\.magnitude)
  }

  @Test("gives a value to the models that a predicate picks, and leaves equal ones alone")
  func constant() throws {
    let (container, context) = try quakes()
    let count = try container.batchUpdate(
      Quake.self, where: #Predicate { $0.magnitude >= 2 }, author: "batch"
    ) { $0.set(\.magnitude, to: 3) }
    #expect(count == 1)
    #expect(try magnitudes(container) == [0, 1, 3, 3])
    let last = try #require(try context.history().last)
    #expect(last.author == "batch")
    #expect(last.summary == ["update Quake 3 magnitude"])
  }

  @Test(
    "computes values from those that each model has",
    .enabled(if: StoreKind.tested == .sqlite, "a server leaves reals to memory"))
  func expression() throws {
    let (container, _) = try quakes(100)
    let before = container.executedStatementCount
    let count = try container.batchUpdate(Quake.self) { changes in
      changes.set(\.magnitude, to: #Expression { $0.magnitude * 2 + $0.location.longitude })
      changes.set(\.location.longitude, to: #Expression { $0.magnitude })
    }
    // One statement for all models, in addition to those of the transaction.
    #expect(container.executedStatementCount - before <= 3)
    #expect(count == 99)
    // Both expressions use the values from before the update.
    #expect(try magnitudes(container).reduce(0, +) == 12 * 99 * 50)
    let longitudes = try ModelContext(container).fetch(
      FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.location.longitude)])
    ).map(\.location.longitude)
    #expect(longitudes == (0..<100).map { Double($0) })
  }

  @Test("changes whole structures and members of them")
  func structures() throws {
    let (container, _) = try quakes(1)
    try container.batchUpdate(Quake.self) { $0.set(\.location.name, to: "elsewhere") }
    var stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Quake>()).first)
    #expect(stored.location == Location(name: "elsewhere", longitude: 0, latitude: 0))
    let place = Location(name: "nowhere", longitude: 1, latitude: 2)
    try container.batchUpdate(Quake.self) { $0.set(\.location, to: place) }
    stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Quake>()).first)
    #expect(stored.location == place)
  }

  @Test("refuses to unwrap nil by force")
  func forced() throws {
    let container = try memoryContainer(Fragile.self)
    let context = ModelContext(container)
    for name in ["a", "b"] {
      let model = Fragile(name)
      if name == "b" { model.spot = Spot(x: 1) }
      context.insert(model)
    }
    try context.save()
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try container.batchUpdate(Fragile.self) { $0.set(\.spot!.x, to: 2) }
    }
    let count = try container.batchUpdate(
      Fragile.self, where: #Predicate { $0.name == "b" }
    ) { $0.set(\.spot!.x, to: 3) }
    #expect(count == 1)
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<Fragile>(sortBy: [SortDescriptor(\.name)]))
    #expect(stored.map(\.spot?.x) == [nil, 3])
  }

  @Test("writes every kind of property as a save does")
  func everyKind() throws {
    let container = try memoryContainer(Sample.self)
    let context = ModelContext(container)
    context.insert(Sample())
    try context.save()
    let statements = container.executedStatementCount
    try container.batchUpdate(Sample.self) { changes in
      changes.set(\.flag, to: false)
      changes.set(\.uint64, to: .max - 1)
      changes.set(\.double, to: .nan)
      changes.set(\.data, to: Data([7]))
      changes.set(\.uuid, to: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)))
      changes.set(\.decimal, to: 12.5)
      changes.set(\.colour, to: .red)
      changes.set(\.shape, to: .square)
      changes.set(\.outer, to: Outer(title: "u", inner: Inner(depth: 1, note: "n"), colour: .green))
      changes.set(\.strings, to: ["z"])
      changes.set(\.pairs, to: [:])
      changes.set(\.optionalInt, to: 5)
      changes.set(\.optionalInner, to: Inner(depth: 8))
      changes.set(\.optionalColour, to: nil)
    }
    #expect(container.executedStatementCount - statements <= 3)
    let sample = try #require(try ModelContext(container).fetch(FetchDescriptor<Sample>()).first)
    #expect(!sample.flag && sample.uint64 == .max - 1 && sample.double.isNaN)
    #expect(sample.data == Data([7]) && sample.uuid.uuid.15 == 9 && sample.decimal == 12.5)
    #expect(sample.colour == .red && sample.shape == .square && sample.strings == ["z"])
    #expect(sample.outer == Outer(title: "u", inner: Inner(depth: 1, note: "n"), colour: .green))
    #expect(sample.pairs.isEmpty && sample.optionalInt == 5 && sample.optionalColour == nil)
    #expect(sample.optionalInner == Inner(depth: 8))
  }

  @Test("gives the same model by model where SQL can't express it")
  func inMemory() throws {
    let (container, context) = try quakes()
    let count = try container.batchUpdate(
      Quake.self, where: #Predicate { $0.magnitude > 0 }, author: "slow"
    ) { changes in
      // A division by zero is infinite in Swift and NULL in SQL.
      changes.set(\.location.latitude, to: #Expression { $0.magnitude / $0.location.latitude })
    }
    #expect(count == 3)
    let latitudes = try ModelContext(container).fetch(
      FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)])
    ).map(\.location.latitude)
    #expect(latitudes == [0, .infinity, .infinity, .infinity])
    #expect(try context.history().last?.author == "slow")
  }

  private func links() throws -> ModelContainer {
    let container = try memoryContainer(BatchLink.self)
    let context = ModelContext(container)
    var last: BatchLink?
    for number in 0..<5 {
      let link = BatchLink(number)
      context.insert(link)
      link.previous = last
      last = link
    }
    try context.save()
    return container
  }

  private func values(_ container: ModelContainer) throws -> [Int] {
    try ModelContext(container).fetch(
      FetchDescriptor<BatchLink>(sortBy: [SortDescriptor(\.number)])
    ).map(\.value)
  }

  @Test("computes values from other models of the class as they were before the update")
  func chain() throws {
    let container = try links()
    let count = try container.batchUpdate(BatchLink.self) {
      $0.set(\.value, to: #Expression { $0.previous?.value ?? -1 })
    }
    #expect(count == 5)
    #expect(try values(container) == [-1, 0, 10, 20, 30])
    try container.batchUpdate(BatchLink.self) {
      $0.set(\.value, to: #Expression { $0.next.filter { $0.value > 10 }.count })
    }
    #expect(try values(container) == [0, 0, 1, 1, 0])
  }

  @Test("one by one computes values from other models as they were before the update, too")
  func chainInMemory() throws {
    let container = try links()
    let count = try container.batchUpdate(BatchLink.self) {
      $0.set(\.value, to: #Expression { $0.previous?.double ?? -1 })
    }
    #expect(count == 5)
    #expect(try values(container) == [-1, 0, 20, 40, 60])
  }

  @Test("of the same property twice keeps the last value")
  func twice() throws {
    let (container, _) = try quakes(1)
    try container.batchUpdate(Quake.self) { changes in
      changes.set(\.magnitude, to: 1)
      changes.set(\.magnitude, to: 2)
    }
    #expect(try magnitudes(container) == [2])
  }

  @Test("moves models to another destination, which has to be stored")
  func relationship() throws {
    let container = try memoryContainer(Vehicle.self, Truck.self, Tanker.self, Garage.self)
    let context = ModelContext(container)
    let (old, new) = (Garage("old"), Garage("new"))
    context.insert(new)
    context.insert(Vehicle(plate: "a", garage: old))
    context.insert(Truck(plate: "b", load: 1))
    try context.save()
    #expect(try container.batchUpdate(Vehicle.self) { $0.set(\.garage, to: new) } == 2)
    let vehicles = try ModelContext(container).fetch(FetchDescriptor<Vehicle>())
    #expect(vehicles.map(\.garage?.street) == ["new", "new"])
    #expect(throws: SwiftDataError.missingModelContext) {
      try container.batchUpdate(Vehicle.self) { $0.set(\.garage, to: Garage("unsaved")) }
    }
    #expect(try container.batchUpdate(Truck.self) { $0.set(\.wheels, to: 6) } == 1)
    #expect(try container.batchUpdate(Vehicle.self) { $0.set(\.garage, to: nil) } == 2)
  }

  @Test("counts its own models only, not those at the other ends of relationships")
  func lists() throws {
    let container = try memoryContainer(Vehicle.self, Truck.self, Tanker.self, Garage.self)
    let context = ModelContext(container)
    for street in ["a", "b"] {
      let garage = Garage(street)
      context.insert(garage)
      garage.vehicles = [Vehicle(plate: "\(street)1"), Vehicle(plate: "\(street)2")]
    }
    try context.save()
    #expect(try container.batchUpdate(Garage.self) { $0.set(\.vehicles, to: []) } == 2)
    let vehicles = try ModelContext(container).fetch(FetchDescriptor<Vehicle>())
    #expect(vehicles.count == 4 && vehicles.allSatisfy { $0.garage == nil })
  }

  @Test("refuses an attribute that isn't stored")
  func ephemeral() throws {
    let container = try memoryContainer(BatchLamp.self)
    let context = ModelContext(container)
    context.insert(BatchLamp())
    try context.save()
    func expectRefusal(_ change: (inout BatchChanges<BatchLamp>) -> Void) {
      #expect(throws: SwiftDataError.unsupportedKeyPath) {
        _ = try container.batchUpdate(BatchLamp.self) { changes in
          changes.set(\.watts, to: 60)
          change(&changes)
        }
      }
    }
    expectRefusal { $0.set(\.brightness, to: 9) }
    expectRefusal { $0.set(\.brightness, to: #Expression { $0.watts }) }
    let lamps = FetchDescriptor<BatchLamp>()
    #expect(try ModelContext(container).fetch(lamps).map(\.watts) == [40])
    // The setter of a computed property sets a stored one.
    #expect(try container.batchUpdate(BatchLamp.self) { $0.set(\.power, to: 100) } == 1)
    #expect(try ModelContext(container).fetch(lamps).map(\.watts) == [100])
  }

  @Test("puts models that move to another ordered list at its end")
  func orderedList() throws {
    let container = try memoryContainer(Tour.self, Halt.self, Guide.self, Postcard.self)
    let context = ModelContext(container)
    let (one, other) = (Tour("one"), Tour("other"))
    one.halts = [Halt("a")]
    other.halts = [Halt("b"), Halt("c")]
    context.insert(one)
    context.insert(other)
    try context.save()
    try container.batchUpdate(Halt.self, where: #Predicate { $0.name == "a" }) {
      $0.set(\.tour, to: other)
    }
    let tours = try ModelContext(container).fetch(
      FetchDescriptor<Tour>(sortBy: [SortDescriptor(\.name)]))
    #expect(tours.map { $0.halts.map(\.name) } == [[], ["b", "c", "a"]])
  }

  @Test("that would make a unique value occur twice changes nothing")
  func unique() throws {
    let (container, _) = try quakes()
    let error = #expect(throws: StoreError.self) {
      try container.batchUpdate(Quake.self) { $0.set(\.code, to: "same") }
    }
    #expect(error?.code == .notUnique)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 4)
  }

  @Test(
    "whose expression has no result for a selected model changes nothing")
  func overflow() throws {
    let container = try memoryContainer(Sample.self)
    let context = ModelContext(container)
    for int in [1, Int.max] { context.insert(Sample(int: int)) }
    try context.save()
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try container.batchUpdate(Sample.self) { $0.set(\.int, to: #Expression { $0.int + 1 }) }
    }
    let limit = Int.max
    let count = try container.batchUpdate(Sample.self, where: #Predicate { $0.int < limit }) {
      $0.set(\.int, to: #Expression { $0.int + 1 })
    }
    #expect(count == 1)
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<Sample>()).map(\.int).sorted() == [
        2, limit,
      ])
  }

  @Test("reaches the models that other contexts have registered, and observers")
  func others() throws {
    let (container, context) = try quakes()
    let models = try context.fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)]))
    try container.batchUpdate(Quake.self) { $0.set(\.magnitude, to: 7) }
    _ = try context.fetch(FetchDescriptor<Quake>())
    #expect(models.map(\.magnitude) == [7, 7, 7, 7])
  }

  @Test("ends when the task is cancelled, and reports its progress")
  func cancellation() async throws {
    let (container, _) = try quakes()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try container.batchUpdate(Quake.self) { $0.set(\.magnitude, to: 7) }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try magnitudes(container) == [0, 1, 2, 3])
    var told: [Int] = []
    try container.batchUpdate(Quake.self, progress: { told.append($0) }) {
      $0.set(\.magnitude, to: 7)
    }
    #expect(told.last == 4)
  }
}
