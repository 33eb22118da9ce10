import Foundation
import SwiftData
import Testing

/// Relationships that are set while neither end is in a context, by setters and by changing lists.
@Suite("Models related before their insertion enter a context together")
struct TogetherTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(
      Author.self, Shelf.self, Branch.self, Knot.self, VanYard.self, FreightVan.self)
    context = ModelContext(container)
  }

  private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Model>())
  }

  @Test("one to many, by the child's end, its initialiser and the parent's list")
  func oneToMany() throws {
    let author = Author("A")
    let books = [Book("1", author: author), Book("2"), Book("3")]
    books[1].author = author
    author.books.append(books[2])
    #expect(books[0].modelContext == nil && author.modelContext == nil)
    context.insert(author)
    #expect(books.allSatisfy { $0.modelContext === context })
    #expect(Set(author.books.map(\.title)) == ["1", "2", "3"])
    try context.save()
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Author>()).first)
    #expect(Set(read.books.map(\.title)) == ["1", "2", "3"])
  }

  @Test("one to many, inserted by one of the children")
  func byChild() throws {
    let author = Author("A")
    let books = (0..<4).map { Book("\($0)") }
    author.books.append(books[0])
    author.books += books[1...2]
    author.books.insert(books[3], at: 0)
    context.insert(books[1])
    try context.save()
    #expect(try count(Author.self) == 1)
    #expect(try count(Book.self) == 4)
    #expect(books.allSatisfy { $0.author === author })
  }

  @Test("one to one, with either end set and either inserted")
  func oneToOne() throws {
    for setsBook in [true, false] {
      for insertsBook in [true, false] {
        let (book, cover) = (Book("b"), Cover("c"))
        if setsBook { book.cover = cover } else { cover.book = book }
        if insertsBook { context.insert(book) } else { context.insert(cover) }
        #expect(book.modelContext === context && cover.modelContext === context)
        #expect(book.cover === cover && cover.book === book)
      }
    }
    try context.save()
    #expect(try count(Book.self) == 4)
    #expect(try count(Cover.self) == 4)
  }

  @Test("many to many, inserted by the far end of a chain")
  func manyToMany() throws {
    let books = (0..<3).map { Book("\($0)") }
    let labels = (0..<3).map { Label("\($0)") }
    books[0].labels = [labels[0], labels[1]]
    labels[1].books.append(books[1])
    books[1].labels.append(labels[2])
    labels[2].books.append(books[2])
    context.insert(labels[0])
    try context.save()
    #expect(try count(Book.self) == 3)
    #expect(try count(Label.self) == 3)
    #expect(Set(labels[2].books.map(\.title)) == ["1", "2"])
  }

  @Test("links that contradict each other: those that stay have two ends", arguments: 0..<5)
  func contradictions(order: Int) throws {
    let (old, new) = (Author("old"), Author("new"))
    let book = Book("B", author: old)
    new.books.append(book)
    let (former, latter) = (Cover("former"), Cover("latter"))
    book.cover = former
    latter.book = book
    let models: [any PersistentModel] = [old, new, former, latter, book]
    func insert<Model: PersistentModel>(_ model: Model) { context.insert(model) }
    for model in models[order...] + models[..<order] { insert(model) }
    func check(in context: ModelContext) throws {
      let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
      let authors = try context.fetch(FetchDescriptor<Author>())
      let covers = try context.fetch(FetchDescriptor<Cover>())
      #expect(authors.count == 2 && covers.count == 2)
      #expect(book.author != nil && book.cover != nil)
      for author in authors { #expect(author.books == (book.author === author ? [book] : [])) }
      for cover in covers { #expect(cover.book === (book.cover === cover ? book : nil)) }
    }
    try check(in: context)
    try context.save()
    try check(in: context)
    try check(in: ModelContext(container))
  }

  @Test("so do those of a model that leads to itself")
  func contradictionInOne() throws {
    let container = try memoryContainer(Hoop.self)
    let context = ModelContext(container)
    let (other, hoop) = (Hoop(), Hoop())
    context.insert(other)
    try context.save()
    hoop.inner = [hoop]
    hoop.outer = other
    func check() {
      #expect((hoop.outer === other) == other.inner.contains(hoop))
      #expect((hoop.outer === hoop) == hoop.inner.contains(hoop))
    }
    check()
    try context.save()
    check()
    let stored = try ModelContext(container).fetch(FetchDescriptor<Hoop>())
    for hoop in stored { #expect(hoop.inner == stored.filter { $0.outer === hoop }) }
  }

  @Test("a tree of one class, by any of its nodes")
  func tree() throws {
    for root in [0, 3, 6] {
      let branches = (0..<7).map { Branch("\($0)") }
      for (number, branch) in branches.enumerated().dropFirst() {
        if number.isMultiple(of: 2) {
          branch.parent = branches[(number - 1) / 2]
        } else {
          branches[(number - 1) / 2].children.append(branch)
        }
      }
      context.insert(branches[root])
      #expect(branches.allSatisfy { $0.modelContext === context })
    }
    try context.save()
    #expect(try count(Branch.self) == 21)
  }

  @Test("inherited relationships, and those of a subclass")
  func inheritance() throws {
    let depot = VanYard()
    let vans = [DeliveryVan(), FreightVan(), FreightVan()]
    vans[0].depot = depot
    vans[1].depot = depot
    let truck = try #require(vans[2] as? FreightVan)
    let spare = VanYard()
    truck.home = spare
    depot.vans.append(truck)
    context.insert(spare)
    #expect(vans.allSatisfy { $0.modelContext === context })
    #expect(spare.trucks == [truck] && Set(depot.vans) == Set(vans))
    try context.save()
    #expect(try count(DeliveryVan.self) == 3)
    #expect(try count(VanYard.self) == 2)
  }

  @Test("without an inverse a destination doesn't bring its owner")
  func oneWay() throws {
    let shelf = Shelf("s")
    let book = Book("b")
    shelf.books.append(book)
    let knot = Knot(1)
    knot.next = Knot(2)
    context.insert(book)
    context.insert(try #require(knot.next))
    #expect(shelf.modelContext == nil && knot.modelContext == nil)
    #expect(book.modelContext === context)
    context.insert(shelf)
    try context.save()
    #expect(try count(Shelf.self) == 1)
    #expect(try count(Knot.self) == 1)
  }

  @Test("a relationship changed meanwhile inserts no model")
  func changed() throws {
    let authors = [Author("A"), Author("B")]
    let book = Book("b")
    book.author = authors[0]
    book.author = authors[1]
    let other = Book("o")
    authors[0].books.append(other)
    authors[0].books.removeAll()
    context.insert(authors[0])
    #expect(context.insertedModelsArray.count == 1)
    #expect(authors[0].books.isEmpty)
    context.insert(authors[1])
    #expect(context.insertedModelsArray.count == 3)
    #expect(authors[1].books == [book] && other.modelContext == nil)
    // The model that wasn't inserted is still found.
    other.cover = Cover("red")
    context.insert(try #require(other.cover))
    #expect(other.modelContext === context)
  }

  @Test("a model related to one of a context inserts the models that refer to it")
  func joining() throws {
    let author = Author("A")
    context.insert(author)
    let book = Book("b")
    let page = Page(1)
    page.book = book
    book.author = author
    #expect(page.modelContext === context)
    #expect(book.pages == [page])
  }

  @Test("undoing the insertion takes all of them out, and redoing brings them back")
  func undo() throws {
    context.undoManager = UndoManager()
    let author = Author("A")
    let book = Book("b")
    book.author = author
    context.insert(author)
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(context.insertedModelsArray.isEmpty)
    context.undoManager?.redo()
    #expect(context.insertedModelsArray.count == 2)
    #expect(author.books == [book] && book.author === author)
    try context.save()
    #expect(try count(Book.self) == 1)
  }

  @Test("models aren't kept alive by their destinations, and a released one is no destination")
  func lifetimes() throws {
    let author = Author("A")
    var kept: [Book] = []
    weak var gone: Book?
    do {
      let book = Book("gone")
      book.author = author
      gone = book
    }
    #expect(gone == nil)
    for number in 0..<10 {
      let book = Book("\(number)")
      book.author = author
      if number.isMultiple(of: 2) { kept.append(book) }
    }
    context.insert(author)
    #expect(Set(author.books.map(\.title)) == Set(kept.map(\.title)))
    weak var owner: Author?
    do {
      let other = Author("B")
      other.books = [Book("x"), Book("y")]
      owner = other
      kept = other.books
    }
    #expect(owner == nil)
    context.insert(kept[0])
    #expect(context.insertedModelsArray.count == 7)
  }

  @Test("a class that the container doesn't have is refused, and the others stay together")
  func unknownClass() throws {
    let small = ModelContext(try memoryContainer(Postcard.self))
    let author = Author("A")
    let book = Book("b")
    book.author = author
    small.insert(author)
    #expect(throws: SwiftDataError.self) { try small.save() }
    small.rollback()
    context.insert(author)
    #expect(book.modelContext === context)
  }

  @Test("models released on other threads")
  func otherThreads() throws {
    for _ in 0..<20 {
      let author = Author("A")
      nonisolated(unsafe) var books = (0..<64).map { Book("\($0)") }
      for book in books { book.author = author }
      let held = Array(books[0..<32])
      books.removeFirst(32)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        books.removeAll()
        done.signal()
      }
      let context = ModelContext(container)
      context.insert(author)
      done.wait()
      let found = Set(author.books.map(ObjectIdentifier.init))
      #expect(found.isSuperset(of: held.map(ObjectIdentifier.init)))
    }
  }

  @Test("long chains, on a small stack")
  func chains() throws {
    let (container, count) = (container, max(Scale.count, 8_000))
    try Scale.onSmallStack {
      // Held from the root on, because the chain points to the root.
      let knots = (0..<count).map { Knot($0) }
      for (above, below) in zip(knots, knots.dropFirst()) { below.above = above }
      let context = ModelContext(container)
      context.insert(knots[0])
      #expect(context.insertedModelsArray.count == count)
      let others = (0..<count).map { Knot($0) }
      for (above, below) in zip(others, others.dropFirst()) { above.below.append(below) }
      context.insert(others[count - 1])
      #expect(context.insertedModelsArray.count == 2 * count)
    }
  }
}

@Model
final class VanYard {
  @Relationship(inverse: \DeliveryVan.depot) var vans: [DeliveryVan] = []
  @Relationship(inverse: \FreightVan.home) var trucks: [FreightVan] = []

  init() {}
}

@Model
class DeliveryVan {
  var depot: VanYard?

  init() {}
}

@Model
final class FreightVan: DeliveryVan {
  var home: VanYard?

  override init() { super.init() }
}

/// The list comes before its other end, and is completed first.
@Model
final class Hoop {
  @Relationship(inverse: \Hoop.outer) var inner: [Hoop] = []
  var outer: Hoop?

  init() {}
}
