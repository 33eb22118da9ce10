import SwiftData
import SwiftDataCore
import Testing

@Suite("Predicates made of predicates")
struct CompositionTests {
  let container: ModelContainer

  init() throws { container = try smallLibrary() }

  @Test("all of them, any of them, none of them")
  func allAndAny() throws {
    let long = #Predicate<Book> { ($0.pages?.count ?? 0) > 3 }
    let red = #Predicate<Book> { $0.labels.contains { $0.text == "red" } }
    let late = #Predicate<Book> { $0.title > "B" }
    try expectSameAnswer(Predicate(any: [long, red]), in: container)
    try expectSameAnswer(Predicate(all: [late, red]), in: container)
    try expectSameAnswer(Predicate(not: red), in: container)
    try expectSameAnswer(
      Predicate(all: [Predicate(any: [long, red]), late]), in: container)
    try expectSameAnswer(Predicate<Book>(all: []), in: container, isSelective: false)
    try expectSameAnswer(Predicate<Book>(any: []), in: container, isSelective: false)
    let books = try ModelContext(container).fetch(FetchDescriptor<Book>())
    #expect(try books.allSatisfy { try Predicate<Book>(all: []).evaluate($0) })
    #expect(try !books.contains { try Predicate<Book>(any: []).evaluate($0) })
  }

  @Test("the parts that SQL can't do are left to memory, in all but not in any")
  func parts() throws {
    let first = #Predicate<Author> { $0.books.first?.title == "Bees" }
    let name = #Predicate<Author> { $0.name < "C" }
    try expectSameAnswer(Predicate(all: [name, first]), in: container, isExact: false)
    try expectSameAnswer(Predicate(any: [name, first]), in: container, isExact: false)
  }

  @Test("descriptors with them can be compared")
  func equality() {
    let title = "Bees"
    func descriptor(_ letter: String) -> FetchDescriptor<Book> {
      FetchDescriptor(
        predicate: Predicate(any: [
          #Predicate { $0.title == title }, #Predicate { $0.title.contains(letter) },
        ]))
    }
    #expect(descriptor("a") == descriptor("a"))
    #expect(descriptor("a") != descriptor("b"))
  }

  @Test("predicates too large for one statement are evaluated in memory")
  func limits() throws {
    // A server takes more.
    let isExact = StoreKind.tested == .postgresql
    let title = "Bees"
    let one = #Predicate<Book> { $0.title == title }
    let many = (0..<1_200).map { number in #Predicate<Book> { $0.title == "\(number)" } }
    try expectSameAnswer(Predicate(any: [one] + many), in: container, isExact: isExact)
    var deep = one
    for _ in 0..<40 {
      let inner = deep
      deep = Predicate(all: [
        Predicate(not: #Predicate { $0.title == "none" }), Predicate(any: [one, inner]),
      ])
    }
    try expectSameAnswer(deep, in: container, isExact: isExact)
  }
}
