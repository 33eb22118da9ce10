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

  @Test("distinguishes rows of equal number of two entities and of two stores")
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
      if StoreKind.tested == .sqlite {
        #expect(author.persistentModelID.rowID == book.persistentModelID.rowID)
      }
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

  /// Identifiers whose parts can be taken for each other's.
  private var alike: [PersistentIdentifier] {
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
    return identifiers
  }

  @Test("is equal exactly where the identifiers are")
  func injective() {
    let identifiers = alike
    #expect(Set(identifiers).count == identifiers.count)
    let texts = Dictionary(grouping: identifiers) { "\($0)" }
    for (text, owners) in texts where owners.count > 1 {
      Issue.record("\(owners.count) identifiers have the text \(text)")
    }
  }

  /// The part of the coded form that has the text.
  private struct Coded: Decodable {
    struct Implementation: Decodable {
      let uriRepresentation: String
    }

    let implementation: Implementation
  }

  @Test("is the URI of the coded form, which reads back as an equal identifier")
  func codedForm() throws {
    let temporary = PersistentIdentifier(
      storeIdentifier: nil, entityName: "Author", key: .temporary(1))
    #expect("\(temporary)" == "x-coredata:///Author/t1")
    for identifier in alike {
      let data = try JSONEncoder().encode(identifier)
      let coded = try JSONDecoder().decode(Coded.self, from: data)
      #expect(coded.implementation.uriRepresentation == "\(identifier)")
      #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == identifier)
    }
  }
}
