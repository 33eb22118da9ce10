import SwiftData

extension DataStoreConformance {
  /// Checks of relationships as contexts read and change them.
  static var relationshipChecks: [Check] {
    [
      contextCheck("a relationship to many is read by another context") { context in
        let author = ConformanceAuthor("A")
        for title in ["1", "2", "3"] {
          context.context.insert(ConformanceBook(title, author: author))
        }
        try context.context.save()
        let reading = ModelContext(context.container)
        let found = try reading.fetch(FetchDescriptor<ConformanceAuthor>())
        try context.expectEqual(
          found.map { Set($0.books.map(\.title)) }, [["1", "2", "3"]], "the titles")
        try context.expect(
          found.allSatisfy { author in author.books.allSatisfy { $0.author === author } },
          "the books to lead back to the author", "another object")
      },
      contextCheck("a relationship can be changed at either end") { context in
        let authors = ["A", "B"].map { ConformanceAuthor($0) }
        let books = ["1", "2"].map { ConformanceBook($0, author: authors[0]) }
        for model in books { context.context.insert(model) }
        context.context.insert(authors[1])
        try context.context.save()
        books[0].author = authors[1]
        try context.context.save()
        try context.expectEqual(
          try context.titles(), ["A": ["2"], "B": ["1"]], "the titles by author")
        authors[1].books.append(books[1])
        try context.context.save()
        try context.expectEqual(
          try context.titles(), ["A": [], "B": ["1", "2"]], "the titles by author")
        authors[1].books.removeAll { $0 === books[0] }
        try context.context.save()
        try context.expectEqual(
          try context.titles(), ["A": [], "B": ["2"]], "the titles by author")
      },
      contextCheck("models and relationships of many to many come and go") { context in
        let books = ["1", "2"].map { ConformanceBook($0) }
        let shelves = ["x", "y"].map { ConformanceShelf($0) }
        books[0].shelves = shelves
        shelves[1].books.append(books[1])
        for book in books { context.context.insert(book) }
        try context.context.save()
        try context.expectEqual(
          try context.labels(), ["1": ["x", "y"], "2": ["y"]], "the labels by title")
        context.context.delete(shelves[1])
        try context.context.save()
        try context.expectEqual(
          try context.labels(), ["1": ["x"], "2": []], "the labels by title")
        shelves[0].books = [books[1]]
        try context.context.save()
        try context.expectEqual(
          try context.labels(), ["1": [], "2": ["x"]], "the labels by title")
      },
      contextCheck("deleting an owner deletes what its rule says") { context in
        let author = ConformanceAuthor("A")
        context.context.insert(ConformanceBook("1", author: author))
        context.context.insert(ConformanceBook("2"))
        try context.context.save()
        let deleting = ModelContext(context.container)
        for author in try deleting.fetch(FetchDescriptor<ConformanceAuthor>()) {
          deleting.delete(author)
        }
        try deleting.save()
        let reading = ModelContext(context.container)
        let titles = try reading.fetch(FetchDescriptor<ConformanceBook>()).map(\.title)
        try context.expectEqual(titles, ["2"], "the titles that are left")
      },
    ]
  }
}

extension CheckedContext {
  /// The titles of each author's books, as a new context reads them.
  fileprivate func titles() throws -> [String: Set<String>] {
    let reading = ModelContext(container)
    let authors = try reading.fetch(FetchDescriptor<ConformanceAuthor>())
    return Dictionary(
      authors.map { ($0.name, Set($0.books.map(\.title))) }, uniquingKeysWith: { $0.union($1) })
  }

  /// The labels of each book's shelves, as a new context reads them.
  fileprivate func labels() throws -> [String: Set<String>] {
    let reading = ModelContext(container)
    let books = try reading.fetch(FetchDescriptor<ConformanceBook>())
    return Dictionary(
      books.map { ($0.title, Set($0.shelves.map(\.label))) }, uniquingKeysWith: { $0.union($1) })
  }
}
