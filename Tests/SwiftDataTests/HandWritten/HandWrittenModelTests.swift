import SwiftData
import SwiftDataCore
import Testing

@Suite("Conformances to PersistentModel written by hand")
struct HandWrittenModelTests {
  @Test("values of every kind come back from a file")
  func roundTrip() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Seismograph.self))
      let full = Seismograph(code: "A")
      full.height = 12.5
      full.opened = Date(timeIntervalSinceReferenceDate: 1.25)
      full.colour = .red
      full.level = .high
      full.inner = Inner(depth: 3, note: "n")
      full.shape = .circle(radius: 2)
      context.insert(full)
      context.insert(Seismograph(code: "B"))
      try context.save()
    }
    let context = ModelContext(try store.container(Seismograph.self))
    let stations = try context.fetch(FetchDescriptor<Seismograph>(sortBy: [SortDescriptor(\.code)]))
    #expect(stations.map(\.code) == ["A", "B"])
    #expect(stations.map(\.height) == [12.5, 0])
    #expect(stations.map(\.opened) == [Date(timeIntervalSinceReferenceDate: 1.25), nil])
    #expect(stations.map(\.colour) == [.red, .green])
    #expect(stations.map(\.level) == [.high, nil])
    #expect(stations.map(\.inner) == [Inner(depth: 3, note: "n"), nil])
    #expect(stations.map(\.shape) == [.circle(radius: 2), .square])
  }

  @Test(
    "the stores close when models, context and container are released, in any order",
    .enabled(if: StoreKind.tested == .sqlite, "is about models in memory"))
  func closing() throws {
    weak var core: ContainerCore?
    func use(_ outlivesContext: Bool) throws {
      let container = try memoryContainer(Seismograph.self)
      core = container.core
      var station: Seismograph? = Seismograph(code: "A")
      do {
        let context = ModelContext(container)
        if let station { context.insert(station) }
        try context.save()
        if !outlivesContext { station = nil }
        withExtendedLifetime(context) {}
      }
      #expect(core != nil && (station != nil) == outlivesContext)
      station = nil
      withExtendedLifetime(container) {}
    }
    try use(false)
    #expect(core == nil)
    try use(true)
    #expect(core == nil)
  }

  @Test(
    "the stores close after more models than insertions look through",
    .enabled(if: StoreKind.tested == .sqlite, "is about models in memory"))
  func closingMany() throws {
    weak var core: ContainerCore?
    func use() throws {
      let container = try memoryContainer(Seismograph.self)
      core = container.core
      let context = ModelContext(container)
      for number in 0..<1500 { context.insert(Seismograph(code: "\(number)")) }
      try context.save()
    }
    try use()
    // Another test may just have looked through the models, and held them meanwhile.
    for _ in 0..<20 where core != nil { _ = try memoryContainer(Seismograph.self) }
    #expect(core == nil)
  }

  @Test("an edit is tracked, saved, and taken back by rollback")
  func edit() throws {
    let container = try memoryContainer(Seismograph.self)
    let context = ModelContext(container)
    let station = Seismograph(code: "A")
    context.insert(station)
    try context.save()
    #expect(!station.hasChanges)
    station.height = 5
    #expect(station.hasChanges && context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)
    station.height = 9
    context.rollback()
    #expect(station.height == 5)
    let other = ModelContext(container)
    let high = FetchDescriptor<Seismograph>(predicate: #Predicate { $0.height > 4 })
    #expect(try other.fetch(high).map(\.code) == ["A"])
  }

  @Test("a to-one relationship is stored, loaded when read, and registers its destination")
  func relationship() throws {
    let container = try memoryContainer(Seismograph.self)
    let context = ModelContext(container)
    let branch = Seismograph(code: "branch")
    context.insert(branch)
    branch.main = Seismograph(code: "main")
    try context.save()
    let other = ModelContext(container)
    let fetched = try other.fetch(FetchDescriptor<Seismograph>(sortBy: [SortDescriptor(\.code)]))
    #expect(fetched.map(\.code) == ["branch", "main"])
    #expect(fetched.first?.main === fetched.last)
    #expect(fetched.last?.main == nil)
    fetched.first?.main = nil
    try other.save()
    let third = ModelContext(container)
    #expect(try third.fetch(FetchDescriptor<Seismograph>()).allSatisfy { $0.main == nil })
  }

  @Test("both ends of a relationship follow each other, and come back from the store")
  func inverses() throws {
    let container = try memoryContainer(Seismograph.self)
    let context = ModelContext(container)
    let main = Seismograph(code: "main")
    context.insert(main)
    let first = Seismograph(code: "1")
    let second = Seismograph(code: "2")
    first.main = main
    context.insert(first)
    main.branches.append(second)
    #expect(main.branches.map(\.code) == ["1", "2"])
    #expect(second.main === main && second.modelContext === context)
    try context.save()
    let other = ModelContext(container)
    let fetched = try other.fetch(FetchDescriptor<Seismograph>(sortBy: [SortDescriptor(\.code)]))
    #expect(fetched[2].branches.map(\.code).sorted() == ["1", "2"])
    #expect(fetched[0].main === fetched[2])
    fetched[2].branches.removeAll { $0.code == "1" }
    #expect(fetched[0].main == nil)
    try other.save()
    let third = ModelContext(container)
    let last = try third.fetch(FetchDescriptor<Seismograph>(sortBy: [SortDescriptor(\.code)]))
    #expect(last.map { $0.main?.code } == [nil, "main", nil])
    #expect(last[2].branches.map(\.code) == ["2"])
  }

  @Test("a unique value of a hand-written class makes an insertion an update")
  func upsert() throws {
    let container = try memoryContainer(Seismograph.self)
    let context = ModelContext(container)
    context.insert(Seismograph(code: "A"))
    try context.save()
    let again = Seismograph(code: "A")
    again.height = 7
    context.insert(again)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Seismograph>()).map(\.height) == [7])
  }

  @Test("plain stored variables are stored and fetched")
  func plainVariables() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Plate.self))
      context.insert(Plate(name: "Nazca", area: 0.41))
      context.insert(Plate(name: "Cocos", area: nil))
      try context.save()
    }
    let context = ModelContext(try store.container(Plate.self))
    let plates = try context.fetch(FetchDescriptor<Plate>(sortBy: [SortDescriptor(\.name)]))
    #expect(plates.map(\.name) == ["Cocos", "Nazca"])
    #expect(plates.map(\.area) == [nil, 0.41])
  }

  @Test("a value that was never set is a typed error at save, not a trap")
  func missingValue() throws {
    let context = ModelContext(try memoryContainer(Seismograph.self))
    context.insert(Seismograph(backingData: Seismograph.createBackingData()))
    #expect(throws: StoreError.self) { try context.save() }
  }
}
