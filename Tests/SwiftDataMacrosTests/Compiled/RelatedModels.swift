import SwiftData

// Models that refer to each other: with the inverse on one side, in both orders of declaration, in
// one file and across two.

@Model final class Author {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var book: Book?
  init(name: String) { self.name = name }
}

@Model final class Book {
  var title: String
  @Relationship var author: Author?
  var publisher: Publisher?
  @Relationship(inverse: \Translator.book) var translator: Translator?
  init(title: String) { self.title = title }
}

enum Space {
  @Model class Nested {
    var other: Space.Other?
    init() {}
  }
}

extension Space {
  @Model final class Other {
    @Relationship(deleteRule: .nullify, inverse: \Space.Nested.other) var nested: Nested?
    init() {}
  }
}

@Model class Host {
  @Model final class Guest {
    var host: Host?
    init() {}
  }
  var guest: Guest?
  init() {}
}

@ModelActor public actor PublicWorker {
  var runs = 0
}

@ModelActor
actor NamedWorker {
  let name: String
  init(modelContainer: ModelContainer, name: String) {
    self.modelContainer = modelContainer
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
    self.name = name
  }
}
