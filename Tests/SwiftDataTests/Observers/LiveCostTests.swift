import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Suite("The cost of live results", .timeLimit(.minutes(20)))
struct LiveCostTests {
  let container: ModelContainer
  let writer: ModelContext

  init() throws {
    container = try memoryContainer(Quake.self, Author.self)
    writer = ModelContext(container)
    try container.batchInsert(
      (0..<10_000).lazy.map {
        Quake(code: "\($0)", magnitude: Double($0 * 7919 % 10_000))
      })
  }

  /// Returns the statements, with their numbers of rows, that the observer runs after `write`.
  private func cost(
    of observer: ResultsObserver<Quake, Never>, after write: () throws -> Void
  ) throws -> [StatementEvent] {
    try write()
    return container.recordingStatements { _ = observer.results.count }.statements
  }

  private func observe(
    _ filter: Predicate<Quake>? = nil
  ) throws -> ResultsObserver<Quake, Never> {
    try ResultsObserver(
      filterBy: filter, sortBy: [SortDescriptor(\.magnitude)],
      modelContext: ModelContext(container), isolation: nil)
  }

  @Test("is nothing for commits that touch no entity of the fetch")
  func otherEntities() throws {
    let observer = try observe()
    let statements = try cost(of: observer) {
      for name in ["Ann", "Bea"] {
        writer.insert(Author(name))
        try writer.save()
      }
    }
    #expect(statements.isEmpty)
  }

  @Test("is nothing for values on which neither filter nor order depends")
  func otherValues() throws {
    let observer = try observe(#Predicate { $0.magnitude > 5_000 })
    let statements = try cost(of: observer) {
      let batch = try BatchUpsert<Quake>(container)
      for number in 0..<10 {
        try batch.upsert(
          Quake(code: "\(number)", magnitude: Double(number * 7919 % 10_000), name: "elsewhere"))
      }
      try batch.commit()
    }
    #expect(statements.isEmpty)
  }

  @Test("grows with the rows that were touched, not with the results", arguments: [1, 10, 100])
  func touchedRows(count: Int) throws {
    let observer = try observe()
    _ = observer.results[5_000]
    let statements = try cost(of: observer) {
      let batch = try BatchUpsert<Quake>(container)
      for number in 0..<count {
        try batch.upsert(Quake(code: "\(number * 31)", magnitude: Double(number) * 97.3))
        try batch.upsert(Quake(code: "new \(number)", magnitude: Double(number) * 51.7))
      }
      try batch.commit()
    }
    #expect(statements.count <= 16, "\(statements)")
    let rows = statements.reduce(0) { $0 + $1.rows }
    #expect(rows <= 1_500 + count * 60, "\(rows) rows")
    #expect(observer.results.count == 10_000 + count)
  }

  @Test("is one look-up for the results in the order of their rows")
  func rowOrder() throws {
    let observer = try ResultsObserver<Quake, Never>(
      modelContext: ModelContext(container), isolation: nil)
    let statements = try cost(of: observer) {
      writer.insert(Quake(code: "new"))
      try writer.save()
    }
    #expect(statements.map(\.rows) == [1])
  }

  @Test("doesn't load loaded rows again after they have moved")
  func loadedPages() throws {
    let observer = try observe()
    let shown = Array(observer.results.prefix(512))
    _ = try cost(of: observer) {
      for number in 0..<5 { writer.insert(Quake(code: "new \(number)", magnitude: -1)) }
      try writer.save()
    }
    let (again, statements) = container.recordingStatements {
      Array(observer.results[5..<517])
    }
    #expect(zip(shown, again).allSatisfy { $0 === $1 })
    #expect(statements.isEmpty)
    // Only the new models of the leaf are loaded.
    let (first, loading) = container.recordingStatements { observer.results[0] }
    #expect(first.magnitude == -1 && loading.map(\.rows) == [5])
  }

  @Test(
    "of sections is no model, before and after a commit",
    .enabled(if: StoreKind.tested == .sqlite, "a server leaves the order of texts to memory"))
  func sections() throws {
    let container = try memoryContainer(Invoice.self)
    let batch = try BatchUpsert<Invoice>(container)
    for number in 0..<5_000 { try batch.upsert(Invoice(number, customer: "\(number % 40)")) }
    try batch.commit()
    let (observer, making) = try container.recordingStatements {
      try ResultsObserver<Invoice, String>(
        sortBy: [SortDescriptor(\.number)], sectionBy: \.customer,
        modelContext: ModelContext(container), isolation: nil)
    }
    #expect(making.count == 1)
    let writer = ModelContext(container)
    let found = try writer.fetch(
      FetchDescriptor<Invoice>(predicate: #Predicate { $0.number == 77 }))
    let invoice = try #require(found.first)
    invoice.customer = "new"
    try writer.save()
    let (count, statements) = container.recordingStatements { observer.sections?.count }
    #expect(count == 41)
    #expect(statements.count <= 8)
    #expect(statements.reduce(0) { $0 + $1.rows } < 600)
    let (section, loading) = container.recordingStatements {
      observer.sections?[sectionTitle: "new"]?.map(\.number)
    }
    #expect(section == [77])
    #expect(loading.reduce(0) { $0 + $1.rows } <= 256)
  }

  @Test("of a query is the models that came")
  @MainActor func queries() throws {
    let query = Query<Quake, [Quake]>(sort: \.magnitude)
    query.bind(to: ModelContext(container))
    #expect(query.wrappedValue.count == 10_000)
    writer.insert(Quake(code: "new", magnitude: 4_000.5))
    try writer.save()
    let (models, statements) = container.recordingStatements { query.wrappedValue }
    #expect(models.count == 10_001 && models[4_001].code == "new")
    #expect(statements.reduce(0) { $0 + $1.rows } < 600)
  }
}
