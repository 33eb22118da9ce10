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
    let sorted = all.sorted {
      switch SortComparison.compare($0, $1, by: sort) {
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

  @Test("counts of to-many relationships are computed in memory")
  func counts() throws {
    try expectSameOrder(
      [SortDescriptor(\Author.books.count), SortDescriptor(\Author.name)], isExact: false)
  }
}
