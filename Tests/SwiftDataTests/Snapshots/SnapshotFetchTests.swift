import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Suite("Fetching snapshots")
struct SnapshotFetchTests {
  private func filled(_ count: Int) throws -> ModelContainer {
    let container = try memoryContainer(
      Reading.self, SeismicStation.self, StationSign.self, Warden.self, NightWarden.self)
    let context = ModelContext(container)
    let stations = (0..<3).map { SeismicStation("s\($0)") }
    for (index, station) in stations.enumerated() {
      context.insert(station)
      station.keeper = index == 1 ? NightWarden("n", lamp: "l") : Warden("k\(index)")
      if index > 0 { station.badge = StationSign(index) }
    }
    for index in 0..<count {
      let reading = Reading("r\(index)", magnitude: Double(index))
      reading.station = index % 4 == 3 ? nil : stations[index % 4]
      context.insert(reading)
    }
    try context.save()
    return container
  }

  private var byMagnitude: FetchDescriptor<Reading> {
    FetchDescriptor(sortBy: [SortDescriptor(\.magnitude)])
  }

  @Test("one statement reads all rows, and no model is made")
  func direct() throws {
    let context = ModelContext(try filled(100))
    let before = context.container.executedStatementCount
    let read = try context.snapshots(byMagnitude)
    #expect(context.container.executedStatementCount - before == 1)
    for snapshot in read {
      let registered: Reading? = context.registeredModel(
        for: try #require(snapshot.persistentModelID))
      #expect(registered == nil)
    }
    #expect(read == (try context.fetch(byMagnitude)).map(\.snapshot))
  }

  @Test("destinations are identified also where another table has the key, or the class")
  func destinations() throws {
    let context = ModelContext(try filled(4))
    let stations = FetchDescriptor<SeismicStation>(
      sortBy: [SortDescriptor(\.name, comparator: .lexical)])
    let before = context.container.executedStatementCount
    let read = try context.snapshots(stations)
    #expect(context.container.executedStatementCount - before == 1)
    #expect(read.map { $0.keeper?.entityName } == ["Warden", "NightWarden", "Warden"])
    #expect(read.map { $0.badge == nil } == [true, false, false])
    #expect(read == (try context.fetch(stations)).map(\.snapshot))
  }

  @Test("predicate, limit and offset hold")
  func window() throws {
    let container = try filled(40)
    var descriptor = byMagnitude
    descriptor.predicate = #Predicate { $0.magnitude > 9 }
    descriptor.fetchOffset = 2
    descriptor.fetchLimit = 3
    #expect(try container.snapshots(descriptor).map(\.magnitude) == [12, 13, 14])
    #expect(try container.snapshots(FetchDescriptor<Reading>()).count == 40)
  }

  @Test("conditions beyond SQL are evaluated on models")
  func remainder() throws {
    let context = ModelContext(try filled(20))
    let strange = [Location(name: "at r3", longitude: 1, latitude: 2)]
    let predicate = #Predicate<Reading> { strange.contains($0.place) || $0.magnitude < 2 }
    let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.code)])
    #expect(
      try context.snapshots(descriptor).map(\.code)
        == (try context.fetch(descriptor)).map(\.code))
    #expect(try context.snapshots(descriptor).count == 3)
  }

  @Test("unsaved changes take part as in a fetch")
  func pendingChanges() throws {
    let context = ModelContext(try filled(8))
    let readings = try context.fetch(byMagnitude)
    readings[0].magnitude = 50
    context.delete(readings[1])
    context.insert(Reading("new", magnitude: 2.5))
    readings[2].station?.keeper = nil
    #expect(
      try context.snapshots(byMagnitude).map(\.magnitude) == [2, 2.5, 3, 4, 5, 6, 7, 50])
    var stored = byMagnitude
    stored.includePendingChanges = false
    #expect(try context.snapshots(stored).map(\.magnitude) == (0..<8).map { Double($0) })
    let stations = try context.snapshots(FetchDescriptor<SeismicStation>())
    #expect(stations.filter { $0.keeper == nil }.count == 1)
  }

  @Test("an enumeration gives every value in order, a batch a statement")
  func enumeration() throws {
    let context = ModelContext(try filled(25))
    let before = context.container.executedStatementCount
    var seen: [Reading.Snapshot] = []
    try context.enumerateSnapshots(byMagnitude, batchSize: 10) { seen.append($0) }
    #expect(context.container.executedStatementCount - before == 4)
    #expect(seen == (try context.snapshots(byMagnitude)))
    struct Stop: Error {}
    var count = 0
    #expect(throws: Stop.self) {
      try context.container.enumerateSnapshots(byMagnitude) { _ in
        count += 1
        if count == 3 { throw Stop() }
      }
    }
    #expect(count == 3)
  }

  @Test("while values are enumerated, the context may save, and deleted rows are left out")
  func savingMeanwhile() throws {
    let context = ModelContext(try filled(30))
    var seen: [Double] = []
    try context.enumerateSnapshots(byMagnitude, batchSize: 10) { snapshot in
      seen.append(snapshot.magnitude)
      guard snapshot.magnitude == 5 else { return }
      try context.delete(model: Reading.self, where: #Predicate { $0.magnitude > 24 })
      try context.save()
    }
    #expect(seen == (0...24).map { Double($0) })
  }

  @Test("rows of subclasses have the snapshot of their superclass and their own identity")
  func subclasses() throws {
    let context = ModelContext(try filled(0))
    let keepers = FetchDescriptor<Warden>(sortBy: [SortDescriptor(\.name)])
    #expect(try context.snapshots(keepers).map(\.name) == ["k0", "k2", "n"])
    #expect(
      try context.snapshots(keepers) == (try context.fetch(keepers)).map(\.snapshot))
    let night: [Warden.Snapshot] = try context.snapshots(FetchDescriptor<NightWarden>())
    #expect(night.map { $0.persistentModelID?.entityName } == ["NightWarden"])
  }

  @Test("values in files beside the store are read")
  func externalStorage() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try store.container(
        Reading.self, SeismicStation.self, StationSign.self, Warden.self, NightWarden.self))
    let station = SeismicStation("Ulm")
    station.photo = Data(repeating: 9, count: 400_000)
    context.insert(station)
    try context.save()
    #expect(
      try context.container.snapshots(FetchDescriptor<SeismicStation>()).map { $0.photo?.count }
        == [400_000])
  }

  @Test(
    "a damaged row is an error that names the column",
    .enabled(if: StoreKind.tested == .sqlite, "columns of a server have types"))
  func damage() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Quake.self, Sample.self))
    context.insert(Sample(int: 3))
    try context.save()
    try store.execute("UPDATE Sample SET colour = 'mauve'")
    #expect(throws: RowDecodingError.self) { try context.snapshots(FetchDescriptor<Sample>()) }
  }
}
