import SwiftData

/// One to many, with an inferred inverse.
@Model
final class Author {
  @Attribute(.unique) var name: String
  var books: [Book] = []

  init(_ name: String) { self.name = name }
}

/// Many to many; one to many with cascade and deny.
@Model
final class Book {
  var title: String
  var author: Author?
  @Relationship(inverse: \Label.books) var labels: [Label] = []
  @Relationship(deleteRule: .cascade, inverse: \Page.book) var pages: [Page]?
  @Relationship(deleteRule: .deny, inverse: \Loan.book) var loans: [Loan] = []
  var cover: Cover?

  init(_ title: String, author: Author? = nil) {
    self.title = title
    self.author = author
  }
}

@Model
final class Page {
  var number: Int
  var book: Book?

  init(_ number: Int) { self.number = number }
}

@Model
final class Label {
  var text: String
  var books: [Book] = []

  init(_ text: String) { self.text = text }
}

@Model
final class Loan {
  var reader: String
  var book: Book

  init(_ reader: String, _ book: Book) {
    self.reader = reader
    self.book = book
  }
}

/// One to one, with an inferred inverse.
@Model
final class Cover {
  var colour: String
  var book: Book?

  init(_ colour: String) { self.colour = colour }
}

/// Parent and children of one class.
@Model
final class Branch {
  var name: String
  var parent: Branch?
  @Relationship(deleteRule: .cascade, inverse: \Branch.parent) var children: [Branch] = []

  init(_ name: String, children: [Branch] = []) {
    self.name = name
    self.children = children
  }
}

/// Relationships without an inverse.
@Model
final class Shelf {
  var name: String
  @Relationship(inverse: nil) var books: [Book] = []
  @Relationship(minimumModelCount: 1, maximumModelCount: 2, inverse: nil) var labels: [Label]?

  init(_ name: String) { self.name = name }
}
