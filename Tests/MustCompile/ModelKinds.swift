import Foundation
import SwiftData

/// A namespace with nested models.
public enum Library {
  @Model
  public final class Book {
    #Unique<Book>([\.isbn])
    #Index<Book>([\.title], [\.price, \.title])

    public var isbn: String
    public var title: String
    public internal(set) var price: Double = 0
    package var shelf: Shelf?
    fileprivate var secret = 1
    private var hidden: String?
    @Transient public var isSelected = false

    public init(isbn: String, title: String) {
      self.isbn = isbn
      self.title = title
    }
  }

  @Model
  package final class Shelf {
    @Relationship(deleteRule: .nullify, inverse: \Book.shelf) package var books: [Book] = []
    package var kind: Kind
    package var place: Place?

    package enum Kind: String, Codable { case open, closed }
    package struct Place: Codable, Hashable, Sendable {
      package var row: Int
      package var note: String?
    }

    package init(kind: Kind) {
      self.kind = kind
    }
  }
}

/// Initial values of types that only the compiler knows.
@Model
final class Reference {
  var page = URL(string: "https://example.org")
  var number = Int("5")
  var names = Set(["a"])
  var sizes = Array(repeating: 0, count: 3)
  var title: String

  static func made() -> Reference { Reference(title: "a") }
}

@Model
open class Document {
  public var title: String = ""
  public var words: [String] = []
  public var counts: [String: Int] = [:]
  var size: Int = 0 {
    didSet { if size < 0 { size = 0 } }
  }

  public init(title: String) {
    self.title = title
  }
}

@Model
public final class Letter: Document {
  public var receiver: String = ""
  @Attribute(.externalStorage) var scan: Data?

  public init(to receiver: String) {
    self.receiver = receiver
    super.init(title: "Letter to \(receiver)")
  }
}

/// A class without an initialiser: the macro adds a memberwise one, as structures have.
@Model
final class Memo {
  var text: String
  var pages = 1
  var parent: Memo?
  var children: [Memo]?
}

protocol Titled {
  var title: String { get }
}

extension Library.Book: Titled {}
extension Document: Titled {}

func titles(_ context: ModelContext) throws -> [String] {
  func titles<Model: PersistentModel & Titled>(of type: Model.Type) throws -> [String] {
    try context.fetch(FetchDescriptor<Model>()).map(\.title)
  }
  context.insert(Memo(text: "a", children: [Memo(text: "b", pages: 2)]))
  return try titles(of: Library.Book.self) + titles(of: Document.self)
}

/// A class that is a model only where the framework exists.
#if canImport(SwiftData)
  @Model
#endif
final class Metric {
  #Unique<Metric>([\.code])
  #Index<Metric>([\.value])
  var code: String
  var value = 0

  init(code: String) { self.code = code }
}
