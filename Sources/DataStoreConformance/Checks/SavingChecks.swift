import SwiftData
import SwiftDataCore

extension DataStoreConformance {
  static var savingChecks: [Check] {
    [
      check("gives every inserted snapshot an identifier of its own") { store in
        let snapshots = store.snapshots(of: [ConformanceBook("A"), ConformanceBook("B")])
        let result = try store.save(inserted: snapshots)
        try store.expectEqual(
          result.storeIdentifier, store.store.identifier, "the result's storeIdentifier")
        let permanent = snapshots.compactMap {
          result.remappedIdentifiers[$0.persistentIdentifier]
        }
        try store.expectEqual(Set(permanent).count, 2, "the number of new identifiers")
        for identifier in permanent {
          try store.expect(
            !identifier.isTemporary, "permanent identifiers", found: "\(identifier)")
          try store.expectEqual(identifier.entityName, "ConformanceBook", "entityName")
          try store.expectEqual(
            identifier.storeIdentifier, store.store.identifier, "storeIdentifier")
        }
      },
      check("gives back every kind of value as it was saved") { store in
        let book = ConformanceBook("Ünïcode 🌍 \"quoted\"\n", pages: .min)
        book.price = 0.1 + 0.2
        book.printed = Date(timeIntervalSinceReferenceDate: -123_456)
        book.rating = .max
        let snapshots = store.snapshots(of: [book])
        let result = try store.save(inserted: snapshots)
        var expected = try snapshots.map { try ConformanceBookForm($0) }
        for index in expected.indices {
          let temporary = expected[index].persistentIdentifier
          expected[index].persistentIdentifier =
            result.remappedIdentifiers[temporary] ?? temporary
        }
        try store.expectEqual(try store.books(), expected, "the stored book")
      },
      check("puts permanent identifiers into relationships to models of the same save") { store in
        let author = ConformanceAuthor("Woolf")
        let book = ConformanceBook("Orlando", author: author)
        // The owner is saved first, when its destination has no permanent identifier yet.
        let identifiers = try store.insert([book, author])
        try store.expectEqual(
          try store.books().map(\.author), [identifiers[1]], "the identifier of the author")
      },
      check("keeps relationships to many as lists of identifiers") { store in
        let book = ConformanceBook("A")
        let shelves = ["x", "y"].map { ConformanceShelf($0) }
        book.shelves = shelves
        for shelf in shelves { shelf.books = [book] }
        let identifiers = try store.insert([book] + shelves)
        try store.expectEqual(
          try store.books().map(\.shelves), [Set(identifiers.dropFirst())],
          "the identifiers of the shelves")
        book.shelves = [shelves[1]]
        shelves[0].books = []
        let known = Dictionary(
          zip(store.snapshots(of: [book] + shelves).map(\.persistentIdentifier), identifiers),
          uniquingKeysWith: { first, _ in first })
        try store.save(
          updated: zip(store.snapshots(of: [book, shelves[0]]), identifiers).map {
            $0.copy(persistentIdentifier: $1, remappedIdentifiers: known)
          })
        try store.expectEqual(
          try store.books().map(\.shelves), [[identifiers[2]]], "what is left of them")
      },
      check("puts updated values in the place of the old ones") { store in
        let book = ConformanceBook("Old", pages: 7)
        let other = ConformanceBook("Other")
        let identifiers = try store.insert([book, other])
        book.title = "New"
        let changed = store.snapshots(of: [book]).map {
          $0.copy(persistentIdentifier: identifiers[0], remappedIdentifiers: nil)
        }
        try store.save(updated: changed)
        let found = try store.books()
        try store.expectEqual(Set(found.map(\.title)), ["New", "Other"], "the titles")
        try store.expectEqual(
          Set(found.map(\.persistentIdentifier)), Set(identifiers), "the identifiers")
      },
      check("removes deleted models and no others") { store in
        let books = ["A", "B", "C"].map { ConformanceBook($0) }
        let identifiers = try store.insert(books)
        let gone = store.snapshots(of: [books[1]]).map {
          $0.copy(persistentIdentifier: identifiers[1], remappedIdentifiers: nil)
        }
        try store.save(deleted: gone)
        try store.expectEqual(Set(try store.books().map(\.title)), ["A", "C"], "the titles")
      },
      check("inserts, updates and deletes in one save") { store in
        let books = ["A", "B"].map { ConformanceBook($0) }
        let identifiers = try store.insert(books)
        books[0].title = "AA"
        let stored = zip(store.snapshots(of: books), identifiers).map { snapshot, identifier in
          snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: nil)
        }
        try store.save(
          inserted: store.snapshots(of: [ConformanceBook("C")]), updated: [stored[0]],
          deleted: [stored[1]])
        try store.expectEqual(Set(try store.books().map(\.title)), ["AA", "C"], "the titles")
      },
      check("writes nothing when a save fails") { store in
        let book = ConformanceBook("Gone")
        let identifier = try store.insert([book])[0]
        let stored = store.snapshots(of: [book]).map {
          $0.copy(persistentIdentifier: identifier, remappedIdentifiers: nil)
        }
        try store.save(deleted: stored)
        do {
          // The store may accept or reject the update of a deleted model, but must not write half
          // of a save.
          try store.save(inserted: store.snapshots(of: [ConformanceBook("New")]), updated: stored)
        } catch {
          try store.expectEqual(try store.books().map(\.title), [], "what a failed save wrote")
        }
      },
    ]
  }

  /// Creates a check that runs on a new, empty store.
  static func check(
    _ name: String, _ body: @escaping (CheckedStore<Configuration.Store>) throws -> Void
  ) -> Check {
    Check(name: name) { conformance in try body(try conformance.store(named: name)) }
  }

  /// The check of a character that some databases can't store.
  static var zeroCharacterChecks: [Check] {
    [
      check("gives back texts with U+0000") { store in
        _ = try store.insert([ConformanceBook("a\u{0}b")])
        try store.expectEqual(try store.books().map(\.title), ["a\u{0}b"], "the stored title")
      }
    ]
  }
}
