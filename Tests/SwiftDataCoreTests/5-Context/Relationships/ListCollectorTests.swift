import Testing

@testable import SwiftDataCore

@Suite("Collected destinations of relationships") struct ListCollectorTests {
  @Test("One list an owner, in the order of the rows, wherever the owner comes again")
  func listsByOwner() {
    let books = (0..<5).map { _ in TestBook() }
    let collector = ListCollector { TestBook.list(of: $0) }
    for (book, owner) in zip(books, [1, 1, 2, 1, 3] as [Int64]) {
      collector.append(book, of: owner)
    }
    collector.close()
    let lists = collector.found.lists.mapValues { list in
      list.models.map { model in books.firstIndex { $0 === model } }
    }
    #expect(lists == [1: [0, 1, 3], 2: [2], 3: [4]])
  }

  @Test("Without rows there are no lists") func empty() {
    let collector = ListCollector { TestBook.list(of: $0) }
    collector.close()
    #expect(collector.found.lists.isEmpty && collector.found.known.isEmpty)
  }
}
