import SwiftData
import SwiftDataExtras
import Testing

@Suite("Snapshots of models")
struct SnapshotTests {
  private func container() throws -> ModelContainer {
    try memoryContainer(
      Reading.self, SeismicStation.self, StationSign.self, Warden.self, NightWarden.self)
  }

  @Test("a snapshot has a model's attributes, and identifiers for relationships to one")
  func members() throws {
    let context = ModelContext(try container())
    let station = SeismicStation("Ulm")
    let keeper = NightWarden("Ida", lamp: "oil")
    let reading = Reading("a", magnitude: 4.5)
    reading.colour = .red
    context.insert(station)
    station.readings = [reading]
    station.keeper = keeper
    station.badge = StationSign(7)
    try context.save()
    let snapshot = reading.snapshot
    #expect(snapshot.persistentModelID == reading.persistentModelID)
    #expect(snapshot.code == "a")
    #expect(snapshot.magnitude == 4.5)
    #expect(snapshot.time == Date(timeIntervalSinceReferenceDate: 4.5))
    #expect(snapshot.place == reading.place)
    #expect(snapshot.colour == .red)
    #expect(snapshot.tries == 1)
    #expect(snapshot.factor == 3)
    #expect(snapshot.station == station.persistentModelID)
    #expect(station.snapshot.badge == station.badge?.persistentModelID)
    #expect(station.snapshot.keeper == keeper.persistentModelID)
    let labels = Mirror(reflecting: station.snapshot).children.compactMap(\.label)
    #expect(
      labels == ["persistentModelID", "name", "calibration", "photo", "badge", "keeper", "mark"])
  }

  @Test("a property of every kind is in the snapshot with its value")
  func everyKind() throws {
    let container = try memoryContainer(Sample.self)
    let context = ModelContext(container)
    let full = Sample(int: 1)
    full.optionalInt = 4
    full.optionalColour = .green
    full.optionalShape = .square
    full.optionalInner = Inner(depth: 1, note: "n")
    full.optionalStrings = ["x"]
    context.insert(full)
    context.insert(Sample(int: 2))
    try context.save()
    let models = try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.int)]))
    let read = try ModelContext(container).snapshots(
      FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.int)]))
    #expect(read == models.map(\.snapshot))
    #expect(read.map(\.optionalInner) == [Inner(depth: 1, note: "n"), nil])
    #expect(read.map(\.uint64) == [.max, .max])
  }

  @Test("the JSON has properties' names as keys and none for nil, and reads back equal")
  func json() throws {
    let context = ModelContext(try container())
    let reading = Reading("a", magnitude: 2)
    let station = SeismicStation("Ulm")
    context.insert(reading)
    reading.station = station
    try context.save()
    for snapshot in [reading.snapshot, Reading("b").snapshot] {
      let json = try JSONEncoder().encode(snapshot)
      #expect(try JSONDecoder().decode(Reading.Snapshot.self, from: json) == snapshot)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let plain = Reading.Snapshot(
      code: "x", magnitude: 1, time: Date(timeIntervalSinceReferenceDate: 0),
      place: Location(name: "p", longitude: 1, latitude: 2), tries: 2, factor: 1.5)
    #expect(
      String(decoding: try encoder.encode(plain), as: UTF8.self)
        == #"{"code":"x","factor":1.5,"magnitude":1,"place":{"latitude":2,"longitude":1,"name":"p"},"#
        + #""time":0,"tries":2}"#)
  }

  @Test("equality and hashes look at values, also of types without either")
  func equality() {
    var left = SeismicStation("a").snapshot
    left.persistentModelID = nil
    var right = left
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    right.calibration.offsets = [3]
    #expect(left != right)
    #expect(Set([left, right, left]).count == 2)
  }

  @Test("a snapshot crosses to another actor")
  func sendable() async throws {
    let context = ModelContext(try container())
    context.insert(Reading("a", magnitude: 8))
    try context.save()
    let container = context.container
    let found = try await Task.detached { try container.snapshots(FetchDescriptor<Reading>()) }
      .value
    #expect(found.map(\.magnitude) == [8])
  }

  // MARK: From snapshots to models

  @Test("a model made from a snapshot has its attributes, and defaults for the others")
  func making() throws {
    let context = ModelContext(try container())
    let station = SeismicStation("Ulm")
    station.password = "secret"
    station.markForTests = "z"
    station.visitors = 3
    station.badge = StationSign(3)
    context.insert(station)
    try context.save()
    let copy = SeismicStation(station.snapshot)
    #expect(copy.name == "Ulm")
    #expect(copy.markForTests == "z")
    #expect(copy.badge == nil)
    context.insert(copy)
    try context.save()
    #expect(copy.persistentModelID != station.persistentModelID)
    let stored = try ModelContext(context.container).fetch(FetchDescriptor<SeismicStation>())
    #expect(stored.map(\.password).sorted() == ["none", "secret"])
    #expect(stored.map(\.calibration.offsets) == [[1, 2], [1, 2]])
  }

  @Test("inserting a snapshot connects the model with the destinations")
  func inserting() throws {
    let context = ModelContext(try container())
    let station = SeismicStation("Ulm")
    context.insert(station)
    try context.save()
    var snapshot = Reading("new", magnitude: 3).snapshot
    snapshot.station = station.persistentModelID
    let reading = try context.insert(snapshot, as: Reading.self)
    #expect(reading.station === station)
    #expect(station.readings.map(\.code) == ["new"])
    try context.save()
    station.badge = nil
    context.delete(station)
    try context.save()
    snapshot.code = "newer"
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.insert(snapshot, as: Reading.self)
    }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Reading>()) == 0)
  }

  @Test("applying sets the differing values only")
  func applying() throws {
    let context = ModelContext(try container())
    let reading = Reading("a", magnitude: 2)
    let station = SeismicStation("Ulm")
    reading.station = station
    context.insert(reading)
    try context.save()
    try reading.apply(reading.snapshot)
    try station.apply(station.snapshot)
    #expect(!context.hasChanges)
    var snapshot = reading.snapshot
    snapshot.magnitude = 5
    snapshot.station = nil
    try reading.apply(snapshot)
    #expect(reading.magnitude == 5)
    #expect(reading.station == nil)
    #expect(Array(reading._$modelState.changes.indices) == [1, 7])
    #expect(station.readings.isEmpty)
  }

  @Test("a destination that isn't there makes applying fail before anything is set")
  func missingDestination() throws {
    let context = ModelContext(try container())
    let reading = Reading("a", magnitude: 2)
    let station = SeismicStation("Ulm")
    context.insert(reading)
    context.insert(station)
    try context.save()
    var snapshot = reading.snapshot
    snapshot.magnitude = 9
    snapshot.station = reading.persistentModelID
    #expect(throws: SwiftDataError.modelValidationFailure) { try reading.apply(snapshot) }
    #expect(!context.hasChanges)
    snapshot.station = station.persistentModelID
    let loose = Reading("b")
    #expect(throws: SwiftDataError.missingModelContext) { try loose.apply(snapshot) }
    #expect(loose.magnitude == 1)
  }
}
