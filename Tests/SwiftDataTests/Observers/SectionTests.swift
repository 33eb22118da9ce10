import SwiftData
import SwiftDataCore
import Testing

@MainActor
@Suite("Results in sections", .timeLimit(.minutes(20)))
struct SectionTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Invoice.self)
    context = ModelContext(container)
    let customers = ["Bea", nil, "Ann", "Bea", "Cleo", "Ann"]
    for (number, customer) in customers.enumerated() {
      let invoice = Invoice(number, customer: customer)
      invoice.amount = Double(-number)
      context.insert(invoice)
    }
    try context.save()
  }

  @Test("come in the order of titles, their models in the order that is asked for")
  func order() throws {
    let observer = try ResultsObserver<Invoice, String>(
      sortBy: [SortDescriptor(\.amount)], sectionBy: \.customer, modelContainer: container)
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["", "Ann", "Bea", "Cleo"])
    #expect(sections.map { $0.map(\.number) } == [[1], [5, 2], [3, 0], [4]])
    #expect(sections.map(\.id) == sections.sectionTitles)
    #expect(observer.results.map(\.number) == [1, 5, 2, 3, 0, 4])
    #expect(observer.sectionBy == \Invoice.customer)
    #expect(sections.contains(sectionTitle: "Bea"))
    #expect(!sections.contains(sectionTitle: "Dora"))
    #expect(sections.index(ofSectionTitled: "Cleo") == 3)
    #expect(sections[sectionTitle: "Cleo"]?.first?.number == 4)
    #expect(sections[sectionTitle: "Dora"] == nil)
    let bea = sections[2][1]
    #expect(observer.indexPath(for: bea) == IndexPath(indexes: [2, 1]))
    #expect(observer.element(at: IndexPath(indexes: [2, 1])) === bea)
    #expect(observer.element(at: IndexPath(indexes: [2, 2])) == nil)
    #expect(observer.element(at: IndexPath(indexes: [4, 0])) == nil)
    #expect(observer.element(at: IndexPath(index: 0)) == nil)
  }

  @Test("by a title unwrapped by force put models without one into the empty title's")
  func forcedTitles() throws {
    let observer = try ResultsObserver<Invoice, String>(
      sortBy: [SortDescriptor(\.amount)], sectionBy: \.customer!, modelContainer: container)
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["", "Ann", "Bea", "Cleo"])
    #expect(sections.map { $0.map(\.number) } == [[1], [5, 2], [3, 0], [4]])
  }

  @Test("change when a model's title does, though the models are the same")
  func changes() async throws {
    let observer = try ResultsObserver<Invoice, String>(
      filterBy: #Predicate { $0.number == 4 }, sectionBy: \.customer, modelContainer: container)
    let invoice = try #require(
      try context.fetch(FetchDescriptor<Invoice>(predicate: #Predicate { $0.number == 4 })).first)
    let titles = try await value({ observer.sections?.sectionTitles }) {
      invoice.customer = "Dora"
      try context.save()
    }
    #expect(titles == ["Dora"])
  }

  @Test("are equal when titles and models are")
  func equality() throws {
    func sections() throws -> SectionedResults<Invoice, String>? {
      try ResultsObserver<Invoice, String>(sectionBy: \.customer, modelContext: context).sections
    }
    let before = try sections()
    #expect(try sections() == before)
    let invoice = try #require(before?.first?.first)
    invoice.customer = "Ann"
    try context.save()
    #expect(try sections() != before)
  }
}
