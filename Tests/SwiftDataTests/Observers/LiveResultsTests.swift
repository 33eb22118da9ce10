import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataCore

/// For any commits, by any writer and in any portions, an observer has the same results as a fetch, and its differences
/// lead from one result to the next.
@Suite("Live results", .timeLimit(.minutes(20)))
struct LiveResultsTests {
  /// A list as the tests access it.
  struct Live {
    let identifiers: () -> [PersistentIdentifier]
    let sections: () -> [String: [PersistentIdentifier]]?
    let fetch: (ModelContext) throws -> [Invoice]
    let differences: ResultsDifferences
    let context: ModelContext
  }

  enum Kind: String, CaseIterable {
    case all, byRow, filtered, filteredBySort, window, sections, optionalSections, memory, eager
  }

  static func live(_ kind: Kind, _ container: ModelContainer) throws -> Live {
    var descriptor = FetchDescriptor<Invoice>(
      sortBy: [SortDescriptor(\.customer), SortDescriptor(\.amount, order: .reverse)])
    switch kind {
    case .all, .eager: break
    case .byRow: descriptor.sortBy = []
    case .filtered: descriptor.predicate = #Predicate { $0.customer != nil && $0.number % 3 != 0 }
    case .filteredBySort:
      descriptor.sortBy = [SortDescriptor(\.amount)]
      descriptor.predicate = #Predicate { $0.amount > 20 }
    case .window:
      descriptor.fetchLimit = 12
      descriptor.fetchOffset = 3
    case .sections: descriptor.predicate = #Predicate { $0.amount < 70 }
    case .optionalSections: descriptor.sortBy = [SortDescriptor(\.amount)]
    // The order of an enumeration is defined in Swift only.
    case .memory: descriptor.sortBy = [SortDescriptor(\.colour.rawValue)]
    }
    let context = ModelContext(container)
    switch kind {
    case .sections: return try sectioned(descriptor, \.address.town, context)
    case .optionalSections: return try sectioned(descriptor, \.customer, context)
    case .eager: return try flat(descriptor, context, isEager: true)
    default: return try flat(descriptor, context, isEager: false)
    }
  }

  private static func flat(
    _ descriptor: FetchDescriptor<Invoice>, _ context: ModelContext, isEager: Bool
  ) throws -> Live {
    let observer = try ResultsObserver<Invoice, Never>(
      descriptor, sectioning: nil, isEager: isEager, context, nil)
    var ordered = descriptor
    ordered.sortBy.append(SortDescriptor(\.persistentModelID))
    return Live(
      identifiers: { observer.results.map(\.persistentModelID) }, sections: { nil },
      fetch: { [ordered] in try $0.fetch(ordered) }, differences: observer.differences(),
      context: context)
  }

  private static func sectioned<Title>(
    _ descriptor: FetchDescriptor<Invoice>, _ title: KeyPath<Invoice, Title>,
    _ context: ModelContext
  ) throws -> Live {
    let observer: ResultsObserver<Invoice, String>
    var ordered = descriptor
    if let title = title as? KeyPath<Invoice, String> {
      observer = try ResultsObserver(
        fetchDescriptor: descriptor, sectionBy: title, modelContext: context, isolation: nil)
      ordered.sortBy.insert(SortDescriptor(\.address.town), at: 0)
    } else {
      observer = try ResultsObserver(
        fetchDescriptor: descriptor, sectionBy: \.customer, modelContext: context, isolation: nil)
      ordered.sortBy.insert(SortDescriptor(\.customer), at: 0)
    }
    ordered.sortBy.append(SortDescriptor(\.persistentModelID))
    return Live(
      identifiers: { observer.results.map(\.persistentModelID) },
      sections: {
        observer.sections.map { sections in
          Dictionary(
            uniqueKeysWithValues: sections.map { ($0.title, $0.map(\.persistentModelID)) })
        }
      },
      fetch: { [ordered] in try $0.fetch(ordered) }, differences: observer.differences(),
      context: context)
  }

  /// Applies differences to a list.
  struct Mirror {
    private var reader: ResultsDifferences.AsyncIterator
    private(set) var shown: [PersistentIdentifier] = []
    private(set) var last = ResultsDifference<PersistentIdentifier>()

    init(_ differences: ResultsDifferences) async throws {
      reader = differences.makeAsyncIterator()
      try await follow()
    }

    /// Waits for a difference.
    mutating func follow() async throws {
      let next = await reader.next()
      last = try #require(next)
      let applied = last.applied(to: shown)
      shown = try #require(applied)
    }
  }

  @Test(
    "equal a fetch after every commit, and the differences lead to them",
    arguments: Kind.allCases, 1...StoreKind.rounds(UInt64(3)))
  func random(kind: Kind, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed &* 7919)
    let container = try memoryContainer(Invoice.self)
    let writers = (0..<2).map { _ in ModelContext(container) }
    let changes = InvoiceChanges(writers, container)
    for _ in 0..<40 { try changes.insert(&random) }
    let live = try Self.live(kind, container)
    var mirror = try await Mirror(live.differences)
    var slow = try await Mirror(live.differences)
    #expect(mirror.shown == live.identifiers() && slow.shown == mirror.shown)
    var written: Set<PersistentIdentifier> = []
    for step in 0..<60 {
      let before = try #require(try container.currentHistoryToken())
      for _ in 0..<Int.random(in: 1...3, using: &random) { try changes.change(&random) }
      let expected = try live.fetch(ModelContext(container))
      let identifiers = live.identifiers()
      #expect(identifiers == expected.map(\.persistentModelID), "step \(step)")
      let title: (Invoice) -> String = kind == .sections ? \.address.town : { $0.customer ?? "" }
      if let sections = live.sections() {
        let grouped = Dictionary(grouping: expected, by: title)
        #expect(sections == grouped.mapValues { $0.map(\.persistentModelID) })
      }
      let touched = try Self.touched(after: before, writers[0])
      let staying = touched.intersection(mirror.shown).intersection(identifiers)
      written.formUnion(touched)
      if mirror.shown != identifiers || !staying.isEmpty {
        try await mirror.follow()
        #expect(mirror.shown == identifiers)
        #expect(!mirror.last.reloadsAll)
        #expect(Set(mirror.last.changed.map(\.id)) == staying)
      }
      guard step % 7 == 6 else { continue }
      let late = written.intersection(slow.shown).intersection(identifiers)
      written = []
      if slow.shown != identifiers || !late.isEmpty {
        try await slow.follow()
        #expect(slow.shown == identifiers)
        #expect(Set(slow.last.changed.map(\.id)) == late)
      }
    }
  }

  @Test("follow another container's commits", arguments: [Kind.filtered, .sections])
  func otherContainers(kind: Kind) async throws {
    var random = SeededGenerator(seed: 4)
    let store = try TemporaryStore()
    let container = try store.container(Invoice.self)
    let elsewhere = try store.container(Invoice.self)
    let live = try Self.live(kind, container)
    var mirror = try await Mirror(live.differences)
    let changes = InvoiceChanges([ModelContext(elsewhere), ModelContext(container)], elsewhere)
    for _ in 0..<40 {
      try changes.change(&random)
      let expected = try live.fetch(ModelContext(elsewhere)).map(\.persistentModelID)
      // The watcher notices the change by itself, at an unspecified time.
      while live.identifiers() != expected { await Task.yield() }
      while mirror.shown != expected { try await mirror.follow() }
    }
  }

  /// Returns the rows that were written, according to the history.
  private static func touched(
    after token: DefaultHistoryToken, _ context: ModelContext
  ) throws -> Set<PersistentIdentifier> {
    let transactions = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    return Set(transactions.flatMap { $0.changes.map(\.changedPersistentIdentifier) })
  }

  @Test("report changed values of models, and keep the instances")
  func instances() throws {
    let store = try TemporaryStore()
    let container = try store.container(Invoice.self)
    let writer = ModelContext(container)
    for number in 0..<600 { writer.insert(Invoice(number)) }
    try writer.save()
    let observer = try ResultsObserver<Invoice, Never>(
      sortBy: [SortDescriptor(\.number)], modelContext: ModelContext(container), isolation: nil)
    let first = Array(observer.results)
    let old = observer.results
    let models = try writer.fetch(FetchDescriptor<Invoice>(sortBy: [SortDescriptor(\.number)]))
    models[300].amount = 5
    models[10].number = 1_000
    writer.delete(models[599])
    writer.insert(Invoice(-1))
    try writer.save()
    #expect(observer.results.count == 600)
    #expect(observer.results[0].number == -1)
    #expect(observer.results[1] === first[0])
    #expect(observer.results[300] === first[300] && first[300].amount == 5)
    #expect(observer.results[599] === first[10] && first[10].number == 1_000)
    #expect(first[599].isDeleted)
    // A reference to earlier results stays unchanged.
    #expect(old.count == 600 && old[599] === first[599])
    #expect(observer.indexPath(for: first[10]) == IndexPath(indexes: [0, 599]))
    #expect(observer.indexPath(for: first[599]) == nil)
  }

  @Test("of a context that doesn't merge have new values all the same")
  func withoutMerging() throws {
    let container = try memoryContainer(Invoice.self)
    let writer = ModelContext(container)
    for number in 0..<3 { writer.insert(Invoice(number)) }
    try writer.save()
    let context = ModelContext(container)
    context.mergesChangesAutomatically = false
    let observer = try ResultsObserver<Invoice, Never>(
      sortBy: [SortDescriptor(\.number)], modelContext: context, isolation: nil)
    let shown = Array(observer.results)
    let models = try writer.fetch(FetchDescriptor<Invoice>(sortBy: [SortDescriptor(\.number)]))
    models[1].amount = 8
    writer.delete(models[2])
    try writer.save()
    #expect(observer.results.count == 2)
    #expect(shown[1].amount == 8 && shown[2].isDeleted)
  }

  @Test("with unsaved changes of their own context are right before and after the save")
  func pendingChanges() async throws {
    let container = try memoryContainer(Invoice.self)
    let context = ModelContext(container)
    context.insert(Invoice(5))
    try context.save()
    let observer = try ResultsObserver<Invoice, Never>(
      sortBy: [SortDescriptor(\.number)], modelContext: context, isolation: nil)
    var mirror = try await Mirror(observer.differences())
    context.insert(Invoice(1))
    let other = ModelContext(container)
    other.insert(Invoice(3))
    try other.save()
    #expect(observer.results.map(\.number) == [1, 3, 5])
    try await mirror.follow()
    #expect(mirror.shown == observer.results.map(\.persistentModelID))
    #expect(mirror.shown[0].isTemporary)
    try context.save()
    #expect(observer.results.map(\.number) == [1, 3, 5])
    try await mirror.follow()
    #expect(mirror.shown == observer.results.map(\.persistentModelID))
    #expect(!mirror.shown[0].isTemporary)
  }

  @Test("of a class with subclasses follow too, and name the classes of rows")
  func subclasses() async throws {
    let container = try memoryContainer(
      Vehicle.self, Truck.self, Tanker.self, Garage.self, Valve.self)
    let writer = ModelContext(container)
    let observer = try ResultsObserver<Vehicle, Never>(
      modelContext: ModelContext(container), isolation: nil)
    var mirror = try await Mirror(observer.differences())
    #expect(mirror.shown.isEmpty)
    writer.insert(Vehicle(plate: "a"))
    writer.insert(Truck(plate: "b", load: 1))
    writer.insert(Tanker(plate: "c", liquid: "milk"))
    try writer.save()
    #expect(observer.results.count > 1)
    try await mirror.follow()
    #expect(mirror.shown == observer.results.map(\.persistentModelID))
    #expect(Set(mirror.shown.map(\.entityName)).count > 1)
  }

  @Test("follow a row that determines the position of others of its class")
  func circles() throws {
    let container = try memoryContainer(Branch.self)
    let writer = ModelContext(container)
    let parent = Branch("a")
    let child = Branch("b")
    child.parent = parent
    writer.insert(parent)
    writer.insert(child)
    try writer.save()
    let filtered = try ResultsObserver<Branch, Never>(
      filterBy: #Predicate { $0.parent?.name == "c" }, modelContext: ModelContext(container),
      isolation: nil)
    let sorted = try ResultsObserver<Branch, Never>(
      sortBy: [SortDescriptor(\.parent?.name, order: .reverse)],
      modelContext: ModelContext(container), isolation: nil)
    #expect(filtered.results.isEmpty)
    parent.name = "c"
    let other = Branch("d")
    writer.insert(other)
    writer.insert(Branch("e"))
    other.parent = child
    try writer.save()
    #expect(filtered.results.map(\.name) == ["b"])
    #expect(sorted.results.map(\.name) == ["b", "d", "c", "e"])
    child.name = "x"
    try writer.save()
    #expect(sorted.results.map(\.name) == ["d", "x", "c", "e"])
  }

  @Test("are read again after commits of a program without history")
  func otherPrograms() async throws {
    let store = try TemporaryStore()
    let container = try store.container(Invoice.self)
    let context = ModelContext(container)
    for number in 0..<3 { context.insert(Invoice(number)) }
    try context.save()
    let observer = try ResultsObserver<Invoice, Never>(
      sortBy: [SortDescriptor(\.amount)], modelContext: context, isolation: nil)
    var mirror = try await Mirror(observer.differences())
    try store.execute("UPDATE \"Invoice\" SET amount = 9 WHERE number = 0")
    // The watcher notices the change by itself, at an unspecified time.
    while true {
      _ = try context.fetchCount(FetchDescriptor<Invoice>())
      if observer.results.map(\.number) == [1, 2, 0] { break }
      await Task.yield()
    }
    try await mirror.follow()
    #expect(mirror.last.reloadsAll)
    #expect(mirror.shown == observer.results.map(\.persistentModelID))
  }

  @Test("go on after the history that they haven't read was deleted")
  func deletedHistory() throws {
    let store = try TemporaryStore()
    let container = try store.container(Invoice.self)
    let context = ModelContext(container)
    let observer = try ResultsObserver<Invoice, Never>(
      sortBy: [SortDescriptor(\.amount)], modelContext: ModelContext(container), isolation: nil)
    context.insert(Invoice(1))
    try context.save()
    try context.deleteHistory(Transactions())
    #expect(observer.results.map(\.number) == [1])
    context.insert(Invoice(2))
    try context.save()
    #expect(observer.results.map(\.number) == [1, 2])
  }
}

/// Random commits of invoices, by contexts and batches of several containers.
struct InvoiceChanges {
  private let writers: [ModelContext]
  private let container: ModelContainer
  private static let customers = ["Ann", "ann", "Bea", "Cleo", "Émile", "Zoë", "", nil]

  /// - Parameter container: The container for batches.
  init(_ writers: [ModelContext], _ container: ModelContainer) {
    self.writers = writers
    self.container = container
  }

  private func invoice(_ random: inout SeededGenerator) -> Invoice {
    let invoice = Invoice(
      .random(in: 0..<1_000, using: &random),
      customer: Self.customers.randomElement(using: &random) ?? nil,
      town: ["Rome", "Oslo", "Bonn"].randomElement(using: &random) ?? "",
      colour: .random(in: 0..<2, using: &random) == 0 ? .red : .green)
    invoice.amount = Double(Int.random(in: 0..<100, using: &random))
    return invoice
  }

  func insert(_ random: inout SeededGenerator) throws {
    writers[0].insert(invoice(&random))
    try writers[0].save()
  }

  func change(_ random: inout SeededGenerator) throws {
    let writer = writers[Int.random(in: 0..<writers.count, using: &random)]
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: for _ in 0..<3 { writer.insert(invoice(&random)) }
    case 2, 3: try edit(in: writer, &random)
    case 4:
      let all = try writer.fetch(FetchDescriptor<Invoice>())
      for _ in 0..<2 { if let gone = all.randomElement(using: &random) { writer.delete(gone) } }
    case 5:
      let batch = try BatchUpsert<Invoice>(container)
      for _ in 0..<12 { try batch.upsert(invoice(&random)) }
      try batch.commit()
    case 6:
      // Many edits at the same time, so that repeating the fetch is cheaper.
      for model in try writer.fetch(FetchDescriptor<Invoice>()) { model.amount += 1 }
    default:
      let low = Double(Int.random(in: 0..<95, using: &random))
      try writer.delete(
        model: Invoice.self, where: #Predicate { $0.amount > low && $0.amount < low + 3 })
    }
    try writer.save()
  }

  private func edit(in writer: ModelContext, _ random: inout SeededGenerator) throws {
    let all = try writer.fetch(FetchDescriptor<Invoice>())
    for _ in 0..<3 {
      guard let model = all.randomElement(using: &random) else { return }
      let other = invoice(&random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: model.customer = other.customer
      case 1: model.amount = other.amount
      case 2: model.address = other.address
      default: model.colour = other.colour
      }
    }
  }
}
