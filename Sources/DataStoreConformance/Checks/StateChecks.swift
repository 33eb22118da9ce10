import SwiftData
import SwiftDataCore

extension DataStoreConformance {
  static var stateChecks: [Check] {
    [
      check("erases everything, or says that it can't and keeps everything") { store in
        try store.insert([ConformanceBook("A"), ConformanceAuthor("B")])
        let erased: Void? = try store.unlessDeclined(.unsupportedFeature) {
          try store.using { try $0.erase() }
        }
        try store.expectEqual(
          try store.books().count, erased == nil ? 1 : 0, "the number of books afterwards")
        let authors = try store.fetch(FetchDescriptor<ConformanceAuthor>())
        try store.expectEqual(
          authors.count, erased == nil ? 1 : 0, "the number of authors afterwards")
      },
      check("deletes in batches exactly what the predicate says") { store in
        guard let batching = store.store as? any DataStoreBatching else { return }
        try store.insert((1...5).map { ConformanceBook("\($0)", pages: $0) })
        try store.insert([ConformanceAuthor("A")])
        let request = DataStoreBatchDeleteRequest(
          predicate: #Predicate<ConformanceBook> { $0.pages < 3 }, editingState: store.state)
        let done: Void? = try store.unlessDeclined(.preferInMemoryFilter, .unsupportedFeature) {
          try store.using { _ in try batching.delete(request) }
        }
        let rest: Set<Int> = done == nil ? [1, 2, 3, 4, 5] : [3, 4, 5]
        try store.expectEqual(Set(try store.books().map(\.pages)), rest, "the pages of the rest")
        let all = DataStoreBatchDeleteRequest<ConformanceBook>(
          predicate: nil, editingState: store.state)
        try store.using { _ in try batching.delete(all) }
        try store.expectEqual(try store.books().count, 0, "the number of books afterwards")
        let authors = try store.fetch(FetchDescriptor<ConformanceAuthor>())
        try store.expectEqual(authors.count, 1, "the number of authors afterwards")
      },
      check("keeps what was saved when a context goes, and shows it to others") { store in
        let identifiers = try store.insert([ConformanceBook("A")])
        store.store.invalidateState(for: store.state)
        let other = EditingState(author: "other")
        store.store.initializeState(for: other)
        let request = DataStoreFetchRequest(
          descriptor: FetchDescriptor<ConformanceBook>(), editingState: other)
        try store.expectEqual(
          try store.using { try $0.fetchIdentifiers(request) }, identifiers,
          "what another context finds")
      },
      check("has an identifier, and the schema that it was configured with") { store in
        try store.expect(
          !store.store.identifier.isEmpty, "an identifier", found: "an empty text")
        try store.expectEqual(
          Set(store.store.schema.entities.map(\.name)),
          Set(ConformanceSchema.schema.entities.map(\.name)),
          "the entities of the store's schema")
      },
    ]
  }

  static var persistenceChecks: [Check] {
    let name = "finds what another store of the same configuration saved"
    return [
      Check(name: name) { conformance in
        let configuration = try conformance.configuration()
        let first = try CheckedStore<Configuration.Store>(configuration, check: name)
        let author = ConformanceAuthor("A")
        try first.insert([ConformanceBook("B", author: author), author])
        let saved = try first.books()
        let second = try CheckedStore<Configuration.Store>(configuration, check: name)
        try second.expectEqual(
          second.store.identifier, first.store.identifier, "the store's identifier")
        try second.expectEqual(try second.books(), saved, "the stored books")
        try second.insert([ConformanceBook("C")])
        try second.expectEqual(
          Set(try second.books().map(\.persistentIdentifier)).count, 2,
          "the number of identifiers after another insertion")
      }
    ]
  }
}
