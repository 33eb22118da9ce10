import SwiftData
import Testing

extension Book {
  fileprivate var authorName: String { author?.name ?? "" }
  fileprivate var numberByAuthor: Int { author?.books.count ?? 0 }
}

extension Truck {
  fileprivate var numberInGarage: Int { garage?.vehicles.count ?? 0 }
}

extension [Book] {
  fileprivate var titles: String { map(\.title).sorted().joined(separator: " ") }
}

@Suite("Live results follow all models that their fetch may read")
struct ReachedEntitiesTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Author.self, Shelf.self, Garage.self, Truck.self)
    context = ModelContext(container)
    context.insert(Book("A", author: Author("Ann")))
    context.insert(Book("B", author: Author("Bea")))
    try context.save()
  }

  /// Returns the results before and after a change that is saved in another context.
  private func results<Model: PersistentModel, Value>(
    of descriptor: FetchDescriptor<Model>, _ value: (Model) -> Value, _ change: () throws -> Void
  ) throws -> [[Value]] {
    let observer = try ResultsObserver<Model, Never>(
      fetchDescriptor: descriptor, modelContext: ModelContext(container), isolation: nil)
    var results = [observer.results.map(value)]
    try change()
    try context.save()
    results.append(observer.results.map(value))
    let fetched = try ModelContext(container).fetch(descriptor).map(\.persistentModelID)
    #expect(observer.results.map(\.persistentModelID) == fetched)
    return results
  }

  private func author(_ name: String) throws -> Author {
    let named = FetchDescriptor<Author>(predicate: #Predicate { $0.name == name })
    return try #require(try context.fetch(named).first)
  }

  @Test("behind a computed property in the predicate")
  func predicates() throws {
    let byAnn = FetchDescriptor<Book>(predicate: #Predicate { $0.authorName == "Ann" })
    let found = try results(of: byAnn, \.title) { try author("Ann").name = "Zoe" }
    #expect(found == [["A"], []])
  }

  @Test("behind a computed property that leads back to the class")
  func siblings() throws {
    let single = FetchDescriptor<Book>(predicate: #Predicate { $0.numberByAuthor == 1 })
    let found = try results(of: single, \.title) {
      context.insert(Book("C", author: try author("Ann")))
    }
    #expect(found == [["A", "B"], ["B"]])
  }

  @Test("behind a computed property that leads back to the class's family")
  func families() throws {
    let garage = Garage("Dock Road")
    context.insert(garage)
    let truck = Truck(plate: "A1", load: 7)
    context.insert(truck)
    truck.garage = garage
    try context.save()
    let single = FetchDescriptor<Truck>(predicate: #Predicate { $0.numberInGarage == 1 })
    let found = try results(of: single, \.plate) {
      context.insert(Vehicle(plate: "A2", garage: garage))
    }
    #expect(found == [["A1"], []])
  }

  @Test("behind a computed property in the order")
  func orders() throws {
    let sorted = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.authorName)])
    let found = try results(of: sorted, \.title) { try author("Ann").name = "Zoe" }
    #expect(found == [["A", "B"], ["B", "A"]])
  }

  @Test("behind a computed property of a list of models")
  func lists() throws {
    let descriptor = FetchDescriptor<Author>(predicate: #Predicate { $0.books.titles == "A" })
    let found = try results(of: descriptor, \.name) {
      try author("Ann").books.first?.title = "Z"
    }
    #expect(found == [["Ann"], []])
  }

  @Test("behind a node of a type of the program's own")
  func unknownNodes() throws {
    let name = #Expression<Book, String> { $0.author?.name ?? "" }
    let byAnn = Predicate<Book> { book in
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_evaluate(
          ExpressionNode(name), PredicateExpressions.build_Arg(book)),
        rhs: PredicateExpressions.build_Arg("Ann"))
    }
    let found = try results(of: FetchDescriptor(predicate: byAnn), \.title) {
      try author("Ann").name = "Zoe"
    }
    #expect(found == [["A"], []])
  }
}
