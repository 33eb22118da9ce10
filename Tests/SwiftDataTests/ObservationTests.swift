import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

@Suite("Models are observable")
struct ObservationTests {
  @Test("a mutation inside withObservationTracking fires once")
  func mutation() throws {
    let quake = Quake(code: "a", magnitude: 1)
    let fired = Mutex(0)
    withObservationTracking {
      _ = quake.magnitude
    } onChange: {
      fired.withLock { $0 += 1 }
    }
    quake.code = "b"
    #expect(fired.withLock { $0 } == 0)
    quake.magnitude = 2
    quake.magnitude = 3
    #expect(fired.withLock { $0 } == 1)
  }

  @Test("a fetch that brings newer values fires for the properties that differ")
  func refresh() throws {
    let container = try memoryContainer(Quake.self)
    let context = ModelContext(container)
    let quake = Quake(code: "a", magnitude: 1)
    context.insert(quake)
    try context.save()
    let fired = Mutex<[String]>([])
    withObservationTracking {
      _ = quake.magnitude
    } onChange: {
      fired.withLock { $0.append("magnitude") }
    }
    withObservationTracking {
      _ = quake.code
    } onChange: {
      fired.withLock { $0.append("code") }
    }
    let other = ModelContext(container)
    try #require(try other.fetch(FetchDescriptor<Quake>()).first).magnitude = 7
    try other.save()
    _ = try context.fetch(FetchDescriptor<Quake>())
    #expect(quake.magnitude == 7)
    #expect(fired.withLock { $0 } == ["magnitude"])
  }

  @Test("a fetch that brings another list fires for it, and not for an equal one")
  func refreshedList() throws {
    let container = try memoryContainer(
      Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self)
    let context = ModelContext(container)
    context.mergesChangesAutomatically = false
    let author = Author("a")
    let first = Book("1")
    first.labels = [Label("x")]
    author.books = [first]
    context.insert(author)
    try context.save()
    let fired = Mutex<[String]>([])
    withObservationTracking {
      _ = author.books.count
    } onChange: {
      fired.withLock { $0.append("books") }
    }
    withObservationTracking {
      _ = first.labels.count
    } onChange: {
      fired.withLock { $0.append("labels") }
    }
    func fetch() throws {
      _ = try context.fetch(FetchDescriptor<Author>())
      _ = try context.fetch(FetchDescriptor<Book>())
    }
    let other = ModelContext(container)
    for name in ["b", "c"] {
      other.insert(Author(name))
      try other.save()
      try fetch()
    }
    #expect(fired.withLock { $0 }.isEmpty)
    let second = Book("2")
    try #require(
      try other.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "a" })).first
    ).books.append(second)
    try other.save()
    try fetch()
    #expect(fired.withLock { $0 } == ["books"])
    #expect(author.books.count == 2)
    try #require(
      try other.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "1" })).first
    ).labels = []
    try other.save()
    try fetch()
    #expect(fired.withLock { $0 } == ["books", "labels"])
    #expect(first.labels.isEmpty)
  }

  @Test("a save fires for the lists of a new model whose row existed, which may have others")
  func listOfExistingRow() throws {
    let container = try memoryContainer(
      Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self)
    let other = ModelContext(container)
    let author = Author("a")
    author.books = [Book("1")]
    other.insert(author)
    try other.save()
    let context = ModelContext(container)
    let same = Author("a")
    context.insert(same)
    let fired = Mutex(0)
    withObservationTracking {
      #expect(same.books.isEmpty)
    } onChange: {
      fired.withLock { $0 += 1 }
    }
    try context.save()
    #expect(fired.withLock { $0 } == 1)
    #expect(same.books.map(\.title) == ["1"])
  }

  @Test("save posts willSave and didSave, with each identifier once, under both kinds of keys")
  func notifications() throws {
    let context = ModelContext(try memoryContainer(Quake.self))
    let posted = Mutex<[String]>([])
    let identifiers = Mutex<[[PersistentIdentifier]]>([])
    let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
        posted.withLock { $0.append(note.name.rawValue) }
        let keys: [AnyHashable] = [
          "inserted", ModelContext.NotificationKey.insertedIdentifiers,
        ]
        for key in keys {
          if let found = note.userInfo?[key] as? [PersistentIdentifier] {
            identifiers.withLock { $0.append(found) }
          }
        }
        let all = (note.userInfo as? [String: Any])?.values.compactMap {
          $0 as? [PersistentIdentifier]
        }
        if let all { identifiers.withLock { $0.append(all.flatMap { $0 }) } }
      }
    }
    defer { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
    let quake = Quake(code: "a")
    context.insert(quake)
    try context.save()
    #expect(
      posted.withLock { $0 } == [ModelContext.willSave.rawValue, ModelContext.didSave.rawValue])
    let expected = [[PersistentIdentifier]](repeating: [quake.persistentModelID], count: 3)
    #expect(identifiers.withLock { $0 } == expected)
  }

  @MainActor
  @Test("the main context saves automatically")
  func autosave() async throws {
    let container = try memoryContainer(Quake.self)
    let context = container.mainContext
    #expect(context.autosaveEnabled)
    #expect(context === container.mainContext)
    let saved = AsyncStream<Void> { continuation in
      let token = Uncheck(
        NotificationCenter.default.addObserver(
          forName: ModelContext.didSave, object: context, queue: nil
        ) { _ in continuation.finish() })
      continuation.onTermination = { _ in NotificationCenter.default.removeObserver(token.value) }
    }
    context.insert(Quake(code: "a"))
    for await _ in saved {}
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 1)
  }

  private struct Uncheck: @unchecked Sendable {
    // Unchecked: the token is only passed back to the notification centre.
    let value: any NSObjectProtocol
    init(_ value: any NSObjectProtocol) { self.value = value }
  }
}
