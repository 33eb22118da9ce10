import SwiftData
import SwiftDataExtras
import Testing

@Suite("Relationships load in batches and are released")
struct LoadingTests {
  let container: ModelContainer

  init() throws {
    container = try memoryContainer(Author.self)
    let context = ModelContext(container)
    for number in 0..<1_000 {
      let author = Author("\(number)")
      author.books = [Book("\(number) a"), Book("\(number) b")]
      author.books[0].cover = Cover("c\(number)")
      author.books[0].labels = [Label("l\(number)")]
      context.insert(author)
    }
    try context.save()
  }

  private func statements(_ body: () throws -> Void) rethrows -> Int {
    let before = container.executedStatementCount
    try body()
    return container.executedStatementCount - before
  }

  @Test("enumerating loads a batch with one statement")
  func enumeration() throws {
    var names: Set<String> = []
    let all = try statements {
      try ModelContext(container).enumerate(FetchDescriptor<Author>(), batchSize: 250) {
        names.insert($0.name)
      }
    }
    #expect(names.count == 1_000)
    #expect(all <= 5)
  }

  @Test("walking relationships of a thousand models takes five statements")
  func noHiddenQueries() throws {
    let toMany = try statements {
      let authors = try ModelContext(container).fetch(FetchDescriptor<Author>())
      #expect(authors.reduce(0) { $0 + $1.books.count } == 2_000)
    }
    #expect(toMany <= 5)
    let toOne = try statements {
      var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
      descriptor.fetchLimit = 1_000
      let books = try ModelContext(container).fetch(descriptor)
      #expect(Set(books.compactMap(\.author?.name)).count == 500)
    }
    #expect(toOne <= 5)
    let both = try statements {
      let authors = try ModelContext(container).fetch(FetchDescriptor<Author>())
      #expect(authors.allSatisfy { author in author.books.allSatisfy { $0.author === author } })
    }
    #expect(both <= 5, "the way back is known")
    let covers = try statements {
      let authors = try ModelContext(container).fetch(FetchDescriptor<Author>())
      #expect(authors.reduce(0) { $0 + $1.books.count { $0.cover != nil } } == 1_000)
    }
    #expect(covers <= 5 + 8)
  }

  @Test("walking from models to the lists of their owners takes a few statements, and none again")
  func owners() throws {
    let context = ModelContext(container)
    let books = try context.fetch(FetchDescriptor<Book>())
    func walk() -> Int { books.reduce(0) { $0 + ($1.author?.books.count ?? 0) } }
    let first = statements { #expect(walk() == 4_000) }
    #expect(first <= 2 * 8 + 1)
    let again = statements { #expect(walk() == 4_000) }
    #expect(again == 0)
  }

  @Test("prefetched relationships need no statement when they are read")
  func prefetching() throws {
    var descriptor = FetchDescriptor<Author>()
    descriptor.relationshipKeyPathsForPrefetching = [\.books]
    let context = ModelContext(container)
    let authors = try context.fetch(descriptor)
    let walked = statements { #expect(authors.allSatisfy { $0.books.count == 2 }) }
    #expect(walked == 0)
  }

  @Test("prefetched models behind others need no statement when they are read")
  func prefetchingBehindOthers() throws {
    var descriptor = FetchDescriptor<Cover>()
    descriptor.relationshipKeyPathsForPrefetching = [\.book?.author]
    let context = ModelContext(container)
    var covers: [Cover] = []
    let fetched = try statements { covers = try context.fetch(descriptor) }
    #expect(fetched <= 1 + 2 * 4)
    #expect(covers.count == 1_000)
    let walked = statements { #expect(covers.allSatisfy { $0.book?.author?.name != nil }) }
    #expect(walked == 0)
    // Of a path to a list, the models on the way are loaded.
    descriptor.relationshipKeyPathsForPrefetching = [\.book?.labels]
    let other = ModelContext(container)
    covers = try other.fetch(descriptor)
    let titles = statements { #expect(covers.allSatisfy { $0.book?.title != nil }) }
    #expect(titles == 0)
    #expect(covers.first?.book?.labels.count == 1)
    descriptor.relationshipKeyPathsForPrefetching = [\.book?.author?.name]
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
  }

  @Test("models that refer to each other are released when unreferenced")
  func release() throws {
    let context = ModelContext(container)
    weak var held: Author?
    weak var book: Book?
    do {
      let authors = try context.fetch(FetchDescriptor<Author>())
      for author in authors { for book in author.books { #expect(book.author === author) } }
      held = authors[0]
      book = authors[0].books[0]
      #expect(held != nil && book != nil)
    }
    #expect(held == nil)
    #expect(book == nil)
  }

  @Test("so do those that were made and saved here")
  func releaseAfterSave() throws {
    let context = ModelContext(container)
    weak var held: Author?
    do {
      let author = Author("new")
      author.books = [Book("x", author: author)]
      context.insert(author)
      try context.save()
      held = author
    }
    #expect(held == nil)
  }

  @Test("many to many is released with the context")
  func releaseWithContext() throws {
    weak var label: Label?
    do {
      let context = ModelContext(container)
      let labels = try context.fetch(FetchDescriptor<Label>())
      for label in labels { #expect(label.books.allSatisfy { $0.labels.contains(label) }) }
      label = labels.first
    }
    #expect(label == nil)
  }

  @Test("a model that outlives its context still follows its relationships")
  func orphan() throws {
    let author: Author = try {
      let context = ModelContext(container)
      return try #require(
        try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "7" })).first)
    }()
    #expect(author.modelContext == nil)
    #expect(Set(author.books.map(\.title)) == ["7 a", "7 b"])
    #expect(author.books.first?.author?.name == "7")
  }
}
