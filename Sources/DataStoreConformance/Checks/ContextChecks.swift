import SwiftData

extension DataStoreConformance {
  /// Checks of the store through a container's contexts.
  static var contextChecks: [Check] {
    [
      contextCheck("a context saves a graph that another context finds") { context in
        let book = ConformanceBook("Orlando", author: ConformanceAuthor("Woolf"))
        context.context.insert(book)
        try context.context.save()
        try context.expect(!book.persistentModelID.isTemporary, "a permanent identifier", "none")
        let other = ModelContext(context.container)
        let found = try other.fetch(FetchDescriptor<ConformanceBook>())
        try context.expectEqual(found.map(\.author?.name), ["Woolf"], "the authors' names")
        try context.expectEqual(
          found.map(\.persistentModelID), [book.persistentModelID], "the identifiers")
      },
      contextCheck("a context filters, sorts and cuts, whoever does it") { context in
        for pages in [5, 3, 1, 4, 2, 6] {
          context.context.insert(ConformanceBook("\(pages)", pages: pages))
        }
        try context.context.save()
        var descriptor = FetchDescriptor(
          predicate: #Predicate<ConformanceBook> { $0.pages != 4 },
          sortBy: [SortDescriptor(\.pages, order: .reverse)])
        descriptor.fetchLimit = 2
        descriptor.fetchOffset = 1
        let found = try ModelContext(context.container).fetch(descriptor)
        try context.expectEqual(found.map(\.pages), [5, 3], "the pages of the second and third")
        descriptor.predicate = nil
        descriptor.sortBy = []
        let cut = try ModelContext(context.container).fetch(descriptor)
        try context.expectEqual(cut.count, 2, "the number of models within the limit")
      },
      contextCheck("a context has one object for a model, found by its identifier") { context in
        context.context.insert(ConformanceBook("A"))
        try context.context.save()
        let reading = ModelContext(context.container)
        let first = try reading.fetch(FetchDescriptor<ConformanceBook>())
        let again = try reading.fetch(FetchDescriptor<ConformanceBook>())
        try context.expect(
          first.count == 1 && first.first === again.first, "one object", "several")
        let coded = try JSONEncoder().encode(first.map(\.persistentModelID))
        let identifiers = try JSONDecoder().decode([PersistentIdentifier].self, from: coded)
        for identifier in identifiers {
          let model = ModelContext(context.container).model(for: identifier) as? ConformanceBook
          try context.expectEqual(
            model?.title, "A", "the title of the model with a decoded identifier")
        }
      },
      contextCheck("a context's edits and deletions reach the store") { context in
        let books = ["A", "B", "C"].map { ConformanceBook($0) }
        for book in books { context.context.insert(book) }
        try context.context.save()
        books[0].title = "AA"
        books[1].author = ConformanceAuthor("X")
        context.context.delete(books[2])
        try context.context.save()
        let reading = ModelContext(context.container)
        let found = try reading.fetch(FetchDescriptor<ConformanceBook>())
        try context.expectEqual(Set(found.map(\.title)), ["AA", "B"], "the titles")
        try context.expectEqual(
          Set(found.compactMap(\.author?.name)), ["X"], "the authors' names")
        books[1].author = nil
        try context.context.save()
        let last = try ModelContext(context.container).fetch(FetchDescriptor<ConformanceBook>())
        try context.expectEqual(
          last.count { $0.author != nil }, 0, "the number of books with an author")
      },
      contextCheck("a context merges what is unsaved with what is stored") { context in
        let stored = ConformanceBook("A", pages: 1)
        context.context.insert(stored)
        try context.context.save()
        stored.pages = 9
        context.context.insert(ConformanceBook("B", pages: 8))
        let descriptor = FetchDescriptor(
          predicate: #Predicate<ConformanceBook> { $0.pages > 5 },
          sortBy: [SortDescriptor(\.pages)])
        try context.expectEqual(
          try context.context.fetch(descriptor).map(\.title), ["B", "A"], "the titles in order")
        context.context.rollback()
        try context.expectEqual(
          try context.context.fetch(descriptor).count, 0, "the number after a rollback")
      },
    ]
  }

  static func contextCheck(
    _ name: String, _ body: @escaping (CheckedContext) throws -> Void
  ) -> Check {
    Check(name: name) { conformance in
      let configuration: any DataStoreConfiguration = try conformance.configuration()
      let container = try ModelContainer(
        for: ConformanceSchema.schema,
        configurations: [configuration])
      try body(CheckedContext(check: name, container: container))
    }
  }
}

/// A context over the store under test.
struct CheckedContext {
  let check: String
  let container: ModelContainer
  let context: ModelContext

  init(check: String, container: ModelContainer) {
    self.check = check
    self.container = container
    context = ModelContext(container)
  }

  func expect(_ condition: Bool, _ expected: String, _ found: String) throws {
    guard condition else {
      throw ConformanceFailure(check: check, expected: expected, found: found)
    }
  }

  func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
    try expect(found == expected, "\(what) to be \(expected)", "\(found)")
  }
}
