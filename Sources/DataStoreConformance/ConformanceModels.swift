import SwiftData

/// The models that the checks save: one property of every kind that stores treat differently, and a
/// relationship.
@Model
final class ConformanceBook {
  var title: String
  var pages: Int
  var price: Double
  var printed: Date
  var cover: Data
  var number: UUID
  var tags: [String]
  var genre: ConformanceGenre
  var size: ConformanceSize
  var subtitle: String?
  var rating: Int?
  var author: ConformanceAuthor?
  @Relationship(inverse: \ConformanceShelf.books) var shelves: [ConformanceShelf] = []

  init(_ title: String, pages: Int = 1, author: ConformanceAuthor? = nil) {
    self.title = title
    self.pages = pages
    price = 0.1
    printed = Date(timeIntervalSinceReferenceDate: 86_400)
    cover = Data([0, 1, 255])
    number = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    tags = ["a", "b"]
    genre = .novel
    size = ConformanceSize(width: 1.5, height: 2)
    self.author = author
  }
}

@Model
final class ConformanceAuthor {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \ConformanceBook.author)
  var books: [ConformanceBook] = []

  init(_ name: String) { self.name = name }
}

@Model
final class ConformanceShelf {
  var label: String
  var books: [ConformanceBook] = []

  init(_ label: String) { self.label = label }
}

/// The schema of the checks.
enum ConformanceSchema {
  static var schema: Schema {
    Schema([ConformanceBook.self, ConformanceAuthor.self, ConformanceShelf.self])
  }
}

enum ConformanceGenre: String, Codable { case novel, poetry }

struct ConformanceSize: Codable, Hashable {
  var width: Double
  var height: Double
}

/// A book as decoded from the coded form of its snapshot.
struct ConformanceBookForm: Decodable, Hashable {
  var persistentIdentifier: PersistentIdentifier
  var title: String
  var pages: Int
  var price: Double
  var printed: Date
  var cover: Data
  var number: UUID
  var tags: [String]
  var genre: ConformanceGenre
  var size: ConformanceSize
  var subtitle: String?
  var rating: Int?
  var author: PersistentIdentifier?
  var shelves: Set<PersistentIdentifier>

  init(_ snapshot: some DataStoreSnapshot) throws {
    self = try JSONDecoder().decode(Self.self, from: JSONEncoder().encode(snapshot))
  }
}
