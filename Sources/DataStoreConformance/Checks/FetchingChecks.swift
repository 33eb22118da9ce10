import SwiftData
import SwiftDataCore

extension DataStoreConformance {
  static var fetchingChecks: [Check] {
    [
      check("starts empty") { store in
        try store.expectEqual(try store.books().count, 0, "the number of models fetched")
        let all = store.request(FetchDescriptor<ConformanceBook>())
        try store.expectEqual(try store.using { try $0.fetchCount(all) }, 0, "fetchCount")
      },
      check("answers with models of the class asked for") { store in
        try store.insert([ConformanceBook("A"), ConformanceAuthor("B"), ConformanceBook("C")])
        let books = try store.fetch(FetchDescriptor<ConformanceBook>())
        try store.expectEqual(
          books.map(\.persistentIdentifier.entityName), ["ConformanceBook", "ConformanceBook"],
          "the entities of the books")
        let authors = try store.fetch(FetchDescriptor<ConformanceAuthor>())
        try store.expectEqual(
          authors.map(\.persistentIdentifier.entityName), ["ConformanceAuthor"],
          "the entities of the authors")
      },
      check("counts and identifies what it fetches") { store in
        let identifiers = try store.insert((1...4).map { ConformanceBook("\($0)") })
        let all = store.request(FetchDescriptor<ConformanceBook>())
        try store.expectEqual(try store.using { try $0.fetchCount(all) }, 4, "fetchCount")
        let found = try store.using { try $0.fetchIdentifiers(all) }
        try store.expectEqual(Set(found), Set(identifiers), "fetchIdentifiers")
        try store.expectEqual(found.count, 4, "the number of identifiers")
      },
      check("filters right, or says that it prefers others to") { store in
        try store.insert((1...6).map { ConformanceBook("\($0)", pages: $0) })
        let descriptor = FetchDescriptor(predicate: #Predicate<ConformanceBook> { $0.pages > 4 })
        let found = try store.unlessDeclined(.preferInMemoryFilter) {
          try store.books(descriptor).map(\.pages)
        }
        if let found { try store.expectEqual(Set(found), [5, 6], "the pages of the books found") }
        let count = try store.unlessDeclined(.preferInMemoryFilter) {
          try store.using { try $0.fetchCount(store.request(descriptor)) }
        }
        if let count { try store.expectEqual(count, 2, "fetchCount") }
      },
      check("sorts right, or says that it prefers others to") { store in
        try store.insert([3, 1, 2].map { ConformanceBook("\($0)", pages: $0) })
        let descriptor = FetchDescriptor<ConformanceBook>(
          sortBy: [SortDescriptor(\.pages, order: .reverse)])
        let found = try store.unlessDeclined(.preferInMemorySort) {
          try store.books(descriptor).map(\.pages)
        }
        if let found { try store.expectEqual(found, [3, 2, 1], "the pages in descending order") }
        let identifiers = try store.unlessDeclined(.preferInMemorySort) {
          try store.using { try $0.fetchIdentifiers(store.request(descriptor)) }
        }
        if let identifiers, found != nil {
          try store.expectEqual(
            identifiers, try store.books(descriptor).map(\.persistentIdentifier),
            "fetchIdentifiers")
        }
      },
      check("gives cached snapshots only of what was asked for, and as stored") { store in
        let identifiers = try store.insert(["A", "B"].map { ConformanceBook($0) })
        let unknown = try PersistentIdentifier.identifier(
          for: store.store.identifier, entityName: "ConformanceBook", primaryKey: "no such key")
        let asked = [identifiers[0], unknown]
        let cached = try store.using {
          try $0.cachedSnapshots(for: asked, editingState: store.state)
        }
        try store.expect(
          Set(cached.keys).isSubset(of: [identifiers[0]]), "no snapshot but of the model asked for",
          found: "\(cached.keys.map { $0 })")
        for (identifier, snapshot) in cached {
          let form = try ConformanceBookForm(snapshot)
          try store.expectEqual(form.persistentIdentifier, identifier, "the snapshot's identifier")
          try store.expectEqual(form.title, "A", "the snapshot's title")
        }
      },
    ]
  }
}
