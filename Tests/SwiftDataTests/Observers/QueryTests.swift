import SwiftData
import Testing

@MainActor
@Suite("A query", .timeLimit(.minutes(20)))
struct QueryTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Invoice.self)
    context = ModelContext(container)
    for (number, customer) in ["Bea", "Ann", nil].enumerated() {
      context.insert(Invoice(number, customer: customer))
    }
    try context.save()
  }

  @Test("fetches from the context of the type that has it, and follows its saves")
  func provider() async throws {
    let sidebar = Sidebar(modelContext: context)
    #expect(sidebar.all.count == 3)
    #expect(sidebar.latest.map(\.number) == [2, 1, 0])
    #expect(sidebar.named.map(\.number) == [1])
    #expect(sidebar.byCustomer.sectionTitles == ["", "Ann", "Bea"])
    let other = ModelContext(container)
    other.insert(Invoice(7, customer: "Ann"))
    #expect(try await value({ sidebar.latest.map(\.number) }) { try other.save() } == [7, 2, 1, 0])
    #expect(sidebar.byCustomer[sectionTitle: "Ann"]?.count == 2)
  }

  @Test("can be bound explicitly, and has an error before")
  func binding() async throws {
    let list = List(from: 1)
    #expect(list.invoices.isEmpty)
    #expect(list.query.fetchError as? SwiftDataError == .missingModelContext)
    #expect(throws: SwiftDataError.unknownSchema) {
      try list.query.modelContext.fetch(FetchDescriptor<Invoice>())
    }
    #expect(await value({ list.invoices.count }) { list.query.bind(to: context) } == 2)
    #expect(list.query.fetchError == nil)
    #expect(list.query.modelContext === context)
  }

  @Test("shows unsaved changes of its own context after an update")
  func update() {
    let list = List(from: 0)
    list.query.bind(to: context)
    #expect(list.invoices.count == 3)
    context.insert(Invoice(9))
    #expect(list.invoices.count == 3)
    list.query.update()
    #expect(list.invoices.count == 4)
  }

  @Test("keeps the error of a class that the container doesn't have")
  func failure() {
    let query = Query<Quake, [Quake]>(sort: \.magnitude)
    query.bind(to: context)
    #expect(query.wrappedValue.isEmpty)
    #expect(query.fetchError as? SwiftDataError == .unknownSchema)
  }
}

@MainActor
private final class Sidebar: ModelContextProviding {
  let modelContext: ModelContext
  @Query var all: [Invoice]
  @Query(sort: \Invoice.number, order: .reverse) var latest: [Invoice]
  @Query(filter: #Predicate<Invoice> { $0.customer == "Ann" }) var named: [Invoice]
  @Query(sort: \Invoice.number, sectionBy: \Invoice.customer)
  var byCustomer: SectionedResults<Invoice, String>

  init(modelContext: ModelContext) { self.modelContext = modelContext }
}

@MainActor
private struct List {
  @Query var invoices: [Invoice]
  var query: Query<Invoice, [Invoice]> { _invoices }

  init(from number: Int) {
    _invoices = Query(filter: #Predicate { $0.number >= number }, sort: \.number)
  }
}
