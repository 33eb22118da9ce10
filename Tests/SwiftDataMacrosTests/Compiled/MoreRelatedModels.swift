import SwiftData

@Model final class Publisher {
  @Relationship(deleteRule: .nullify, inverse: \Book.publisher) var book: Book?
  var name: String
  init(name: String) { self.name = name }
}

@Model final class Translator {
  var book: Book?
  init() {}
}
