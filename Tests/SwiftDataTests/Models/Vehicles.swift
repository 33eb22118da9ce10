import SwiftData

@Model
class Vehicle {
  @Attribute(.unique) var plate: String
  var wheels: Int = 4
  var garage: Garage?

  init(plate: String, garage: Garage? = nil) {
    self.plate = plate
    self.garage = garage
  }
}

@Model
class Truck: Vehicle {
  var load: Double
  var capacity: Int = 1

  init(plate: String, load: Double) {
    self.load = load
    super.init(plate: plate)
  }
}

@Model
final class Tanker: Truck, CustomStringConvertible {
  var liquid: String {
    didSet { changes += 1 }
  }
  @Transient var changes = 0
  @Relationship(deleteRule: .cascade, inverse: \Valve.tanker) var valves: [Valve] = []

  var description: String { "\(plate) with \(liquid)" }

  init(plate: String, liquid: String) {
    self.liquid = liquid
    super.init(plate: plate, load: 30)
  }
}

/// A class with a property of the same name as one of its sibling's.
@Model
final class Bus: Vehicle {
  var capacity: String

  init(plate: String, capacity: String) {
    self.capacity = capacity
    super.init(plate: plate)
  }
}

@Model
final class Valve {
  var number: Int
  var tanker: Tanker?

  init(_ number: Int) { self.number = number }
}

@Model
final class Garage {
  var street: String
  @Relationship(inverse: \Vehicle.garage) var vehicles: [Vehicle] = []
  var guarded: Truck?

  init(_ street: String) { self.street = street }
}
