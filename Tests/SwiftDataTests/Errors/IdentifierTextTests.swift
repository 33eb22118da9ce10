import Foundation
import SwiftData
import Testing

@testable import SwiftDataCore

/// Code that uses an identifier's text as a key for sets, views or cycle detection must be able to
/// distinguish the models.
@Suite("The text of a persistent identifier")
struct IdentifierTextTests {
  @Model
  final class Author {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model
  final class Book {
    var title: String
    init(title: String) { self.title = title }
  }

  @Test("tells rows of equal number of two entities and of two stores apart")
  func rows() throws {
    let stores = [try TemporaryStore(), try TemporaryStore()]
    var texts: Set<String> = []
    for store in stores {
      let context = ModelContext(try store.container(Author.self, Book.self))
      let author = Author(name: "a")
      let book = Book(title: "b")
      context.insert(author)
      context.insert(book)
      try context.save()
      #expect(author.persistentModelID.rowID == book.persistentModelID.rowID)
      for identifier in [author.persistentModelID, book.persistentModelID] {
        texts.insert(String(describing: identifier))
        #expect("\(identifier.id)" == "\(identifier)")
        #expect(String(reflecting: identifier) == "\(identifier)")
      }
    }
    #expect(texts.count == 4)
  }

  @Test("stays the same in another context and after another launch")
  func stable() throws {
    let store = try TemporaryStore()
    func text() throws -> String {
      let context = ModelContext(try store.container(Author.self, Book.self))
      return "\(try #require(try context.fetch(FetchDescriptor<Author>()).first).persistentModelID)"
    }
    let context = ModelContext(try store.container(Author.self, Book.self))
    let author = Author(name: "a")
    context.insert(author)
    let temporary = "\(author.persistentModelID)"
    try context.save()
    let saved = "\(author.persistentModelID)"
    #expect(saved != temporary)
    #expect(try text() == saved)
    #expect(try text() == saved)
  }

  @Test("has no names of the framework's types")
  func inside() throws {
    let author = Author(name: "a")
    let text = "\(author.persistentModelID) \(author.persistentModelID.id)"
    #expect(!text.contains("SwiftData"))
    #expect(!text.contains("Origin"))
    #expect(text.contains("Author"))
  }

  @Test("is equal exactly where the identifiers are")
  func injective() {
    let stores: [String?] = [nil, "A", "B", "A/Author", "A%2FAuthor"]
    let entities = ["Author", "Book", "A/B", "A%2FB", "A", "B/p1", "/\u{338}"]
    let keys: [PersistentIdentifier.Key] = [
      .row(1), .row(2), .row(-1), .row(.max), .temporary(1), .temporary(.max), .custom("p1"),
      .custom("t1"), .custom("1"), .custom("Author/p1"), .custom(""),
    ]
    var identifiers: [PersistentIdentifier] = []
    for store in stores {
      for entity in entities {
        for key in keys {
          identifiers.append(
            PersistentIdentifier(storeIdentifier: store, entityName: entity, key: key))
        }
      }
    }
    #expect(Set(identifiers).count == identifiers.count)
    let texts = Dictionary(grouping: identifiers) { "\($0)" }
    for (text, owners) in texts where owners.count > 1 {
      Issue.record("\(owners.count) identifiers have the text \(text)")
    }
  }
}
