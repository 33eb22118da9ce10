import Foundation
import SwiftData

// The models of an app as Xcode's template for new projects has it: everything without an isolation belongs to the main
// actor, but models don't, since other actors read them.

@Model
final class Author {
  #Unique<Author>([\.name])
  var name: String
  var born: Date?
  @Relationship(deleteRule: .cascade, inverse: \Novel.author) var novels: [Novel] = []
  @Relationship var agent: Agent?

  init(name: String, born: Date? = nil) {
    self.name = name
    self.born = born
  }

  var titles: [String] { novels.map(\.title).sorted() }
}

@Model
final class Novel {
  #Index<Novel>([\.title], [\.published, \.title])
  @Attribute(.unique) var isbn: String
  var title: String
  var published: Date
  var size: Size
  var pages = 0 {
    didSet { if pages < 0 { pages = 0 } }
  }
  @Attribute(.externalStorage) var cover: Data?
  @Transient var isSelected = false
  var author: Author?

  init(
    isbn: String, title: String, published: Date = .now, size: Size = Size(width: 12, height: 19)
  ) {
    self.isbn = isbn
    self.title = title
    self.published = published
    self.size = size
  }
}

/// A stored value: its conformances are needed wherever a model is read.
nonisolated struct Size: Codable, Hashable {
  var width: Int
  var height: Int
}

@Model
class Agent {
  var name: String
  @Relationship(inverse: \Author.agent) var authors: [Author] = []

  init(name: String) { self.name = name }
}

@Model
final class Agency: Agent {
  var place: String

  init(name: String, place: String) {
    self.place = place
    super.init(name: name)
  }
}
