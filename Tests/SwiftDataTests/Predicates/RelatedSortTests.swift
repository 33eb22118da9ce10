import SwiftData
import SwiftDataCore
import Testing

@Suite("The store sorts by values of related models as memory does")
struct RelatedSortTests {
  let container: ModelContainer

  init() throws { container = try smallLibrary() }

  private func expectSameOrder<Model: PersistentModel>(
    _ sort: [SortDescriptor<Model>], isExact: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let descriptor = FetchDescriptor(sortBy: sort)
    let all = try ModelContext(container).fetch(FetchDescriptor<Model>())
    let places = Dictionary(
      uniqueKeysWithValues: all.enumerated().map { ($0.element.persistentModelID, $0.offset) })
    let comparison = try SortComparison(sort)
    let sorted = all.sorted {
      switch comparison.compare($0, $1) {
      case .orderedAscending: true
      case .orderedDescending: false
      case .orderedSame: places[$0.id, default: 0] < places[$1.id, default: 0]
      }
    }
    let found = try ModelContext(container).fetch(descriptor)
    #expect(found.map(\.id) == sorted.map(\.id), sourceLocation: sourceLocation)
    // A server knows less of Swift's orders.
    guard StoreKind.tested == .sqlite || !isExact else { return }
    #expect(
      try isAnsweredByStore(descriptor, container) == isExact, sourceLocation: sourceLocation)
  }

  @Test("the key on either side, nil first")
  func bothSides() throws {
    try expectSameOrder([SortDescriptor(\Book.author?.name), SortDescriptor(\Book.title)])
    try expectSameOrder(
      [SortDescriptor(\Book.author?.name, order: .reverse), SortDescriptor(\Book.title)])
    try expectSameOrder([SortDescriptor(\Book.cover?.colour), SortDescriptor(\Book.title)])
    try expectSameOrder([
      SortDescriptor(\Book.cover?.colour, comparator: .lexical, order: .reverse),
      SortDescriptor(\Book.title, order: .reverse),
    ])
    try expectSameOrder([SortDescriptor(\Loan.book.title), SortDescriptor(\Loan.reader)])
    try expectSameOrder([SortDescriptor(\Cover.book?.title, comparator: .localized)])
  }

  @Test("several steps and a model of the same class")
  func steps() throws {
    try expectSameOrder([SortDescriptor(\Page.book?.author?.name), SortDescriptor(\Page.number)])
    try expectSameOrder([SortDescriptor(\Page.book?.cover?.colour), SortDescriptor(\Page.number)])
    try expectSameOrder([SortDescriptor(\Branch.parent?.name), SortDescriptor(\Branch.name)])
    try expectSameOrder([SortDescriptor(\Loan.book.author?.name), SortDescriptor(\Loan.reader)])
  }

  @Test("unwrapped by force, nil first", arguments: [SortOrder.forward, .reverse])
  func forced(order: SortOrder) throws {
    try expectSameOrder([
      SortDescriptor(\Book.author!.name, order: order), SortDescriptor(\Book.title),
    ])
    try expectSameOrder([
      SortDescriptor(\Page.book!.author!.name, order: order), SortDescriptor(\Page.number),
    ])
    try expectSameOrder([
      SortDescriptor(\Loan.book.author!.name, order: order), SortDescriptor(\Loan.reader),
    ])
    try expectSameOrder(
      [
        SortDescriptor(\Book.author!.books.count, order: order), SortDescriptor(\Book.title),
      ], isExact: false)
    let context = ModelContext(container)
    context.insert(Book("Zoo"))
    let sort = [SortDescriptor(\Book.author!.name, order: order), SortDescriptor(\Book.title)]
    let found = try context.fetch(FetchDescriptor(sortBy: sort)).map(\.title)
    let missing = order == .forward ? found.prefix(2) : found.suffix(2)
    #expect(found.count == 8 && missing == ["Eels", "Zoo"])
  }

  @Test("counts of to-many relationships are computed in memory")
  func counts() throws {
    try expectSameOrder(
      [SortDescriptor(\Author.books.count), SortDescriptor(\Author.name)], isExact: false)
  }
}
