import SwiftData
import SwiftDataExtras
import Testing

@Suite("Aggregates")
struct AggregateTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Gauge.self, Basin.self)
    let filling = ModelContext(container)
    let rhine = Basin("Rhine", area: 4)
    let elbe = Basin("Elbe", area: 2)
    for (index, alarm) in [Alarm.amber, .crimson, nil, .amber].enumerated() {
      let gauge = Gauge("g\(index)", count: index * 10, level: Double(index) + 0.5, alarm: alarm)
      gauge.depth = index == 1 ? nil : Double(index)
      gauge.basin = [rhine, elbe, rhine, nil][index]
      gauge.grade = [.best, .worst, .middling, .best][index]
      gauge.datum = Datum(name: "d\(index % 2)", height: index == 3 ? nil : Double(index))
      gauge.time = Date(timeIntervalSinceReferenceDate: Double(index) * 100)
      filling.insert(gauge)
    }
    try filling.save()
    context = ModelContext(container)
  }

  @Test("of all models, each alone")
  func single() throws {
    #expect(try context.count(of: Gauge.self) == 4)
    #expect(try context.sum(of: \Gauge.count) == 60)
    #expect(try context.sum(of: \Gauge.level) == 8)
    #expect(try context.average(of: \Gauge.count) == 15)
    #expect(try context.minimum(of: \Gauge.name) == "g0")
    #expect(try context.maximum(of: \Gauge.time) == Date(timeIntervalSinceReferenceDate: 300))
    #expect(try context.maximum(of: \Gauge.level) == 3.5)
    #expect(try context.sum(of: \Gauge.price) == Decimal(4))
  }

  @Test("of a value unwrapped by force are refused where that is nil")
  func forced() throws {
    let inBasin = #Predicate<Gauge> { $0.basin != nil }
    #expect(try context.sum(of: \Gauge.basin!.area, where: inBasin) == 10)
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.sum(of: \Gauge.basin!.area)
    }
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.groups(of: Gauge.self, by: \.basin!.name, .count)
    }
  }

  @Test("skip nil, and have no value of no values")
  func optional() throws {
    #expect(try context.sum(of: \Gauge.depth) == 5)
    #expect(try context.average(of: \Gauge.depth) == 5.0 / 3)
    #expect(try context.minimum(of: \Gauge.depth) == 0)
    let none = #Predicate<Gauge> { $0.count > 1000 }
    #expect(try context.count(of: Gauge.self, where: none) == 0)
    #expect(try context.sum(of: \Gauge.count, where: none) == 0)
    #expect(try context.average(of: \Gauge.level, where: none) == nil)
    #expect(try context.maximum(of: \Gauge.time, where: none) == nil)
    let (values, note) = try context.aggregate(Gauge.self, .count(\.depth), .minimum(\.note))
    #expect(values == 3)
    #expect(note == nil)
  }

  @Test("come several at once from one statement that makes no model")
  func several() throws {
    let before = container.executedStatementCount
    let (count, average, latest, alarm) = try context.aggregate(
      Gauge.self, .count, .average(\.level), .maximum(\.time), .maximum(\.alarm),
      where: #Predicate { $0.count >= 10 })
    #expect(container.executedStatementCount - before == 1)
    #expect(count == 3)
    #expect(average == 2.5)
    #expect(latest == Date(timeIntervalSinceReferenceDate: 300))
    #expect(alarm == .crimson)
  }

  @Test("of enumerations follow their own order where they have one, else their raw values")
  func enumerations() throws {
    let (first, last) = try context.aggregate(Gauge.self, .minimum(\.grade), .maximum(\.grade))
    #expect(first == .worst)
    #expect(last == .best)
    let (low, high) = try context.aggregate(Gauge.self, .minimum(\.alarm), .maximum(\.alarm))
    #expect(low == .amber)
    #expect(high == .crimson)
  }

  @Test("reach members of composites and properties behind relationships to one")
  func paths() throws {
    #expect(try context.sum(of: \Gauge.datum.height) == 3)
    #expect(try context.average(of: \Gauge.basin?.area) == 10.0 / 3)
    #expect(try context.maximum(of: \Gauge.basin?.name) == "Rhine")
  }

  @Test("of integers that overflow are an error, in any order of the rows")
  func overflow() throws {
    let filling = ModelContext(container)
    for count in [Int.max, 100, -200] { filling.insert(Gauge("big", count: count)) }
    try filling.save()
    // 60 + 100 - 200 is less than 0: the sum fits, although not every partial sum does.
    #expect(try context.sum(of: \Gauge.count) == Int.max - 40)
    filling.insert(Gauge("more", count: 41))
    try filling.save()
    #expect(throws: SwiftDataError.aggregateOverflow) { try context.sum(of: \Gauge.count) }
    context.insert(Gauge("unsaved"))
    #expect(throws: SwiftDataError.aggregateOverflow) { try context.sum(of: \Gauge.count) }
    #expect(try context.average(of: \Gauge.count) != nil)
  }

  @Test("take NaN for the largest number")
  func notANumber() throws {
    context.insert(Gauge("nan", level: .nan))
    for _ in 0..<2 {
      #expect(try context.maximum(of: \Gauge.level)?.isNaN == true)
      #expect(try context.minimum(of: \Gauge.level) == 0.5)
      #expect(try context.sum(of: \Gauge.level).isNaN)
      #expect(try context.average(of: \Gauge.level)?.isNaN == true)
      try context.save()
    }
  }

  @Test("count unsaved changes, those of related models too")
  func unsaved() throws {
    let basin = try #require(
      try context.fetch(FetchDescriptor<Basin>(predicate: #Predicate { $0.name == "Rhine" })).first)
    basin.area = 40
    #expect(try context.maximum(of: \Gauge.basin?.area) == 40)
    context.insert(Gauge("new", count: 5))
    #expect(try context.count(of: Gauge.self) == 5)
    #expect(try context.sum(of: \Gauge.count) == 65)
    let gone = try #require(
      try context.fetch(FetchDescriptor<Gauge>(predicate: #Predicate { $0.name == "g3" })).first)
    context.delete(gone)
    #expect(try context.sum(of: \Gauge.count) == 35)
    #expect(try ModelContext(container).sum(of: \Gauge.count) == 60)
  }

  @Test("of a class include its subclasses, of a subclass nothing else")
  func subclasses() throws {
    let container = try memoryContainer(
      Vehicle.self, Truck.self, Tanker.self, Bus.self, Garage.self, Valve.self)
    let context = ModelContext(container)
    context.insert(Vehicle(plate: "a"))
    context.insert(Truck(plate: "b", load: 3))
    context.insert(Tanker(plate: "c", liquid: "milk"))
    for _ in 0..<2 {
      #expect(try context.sum(of: \Vehicle.wheels) == 12)
      #expect(try context.sum(of: \Truck.load) == 33)
      #expect(try context.maximum(of: \Truck.plate) == "c")
      #expect(try context.count(of: Tanker.self) == 1)
      try context.save()
    }
  }
}
