import Foundation
import Observation
import SwiftData

/// A view model; the main actor is that of the module.
@Observable
final class LibraryScreen {
  private let container: ModelContainer
  private(set) var novels: [Novel] = []

  init(container: ModelContainer) {
    self.container = container
  }

  func load(since date: Date, matching text: String) throws {
    novels = try container.mainContext.fetch(
      FetchDescriptor<Novel>(
        predicate: #Predicate {
          $0.published >= date && $0.author?.name.localizedStandardContains(text) == true
        },
        sortBy: [SortDescriptor(\.published, order: .reverse), SortDescriptor(\.title)]))
  }

  func add(_ title: String, by author: Author) throws {
    let novel = Novel(isbn: UUID().uuidString, title: title)
    container.mainContext.insert(novel)
    author.novels.append(novel)
    novel.pages = author.novels.count
    try container.mainContext.save()
  }

  func replace(with titles: [String]) async throws {
    let ids = try await LibraryImporter(modelContainer: container).write(titles)
    novels = ids.compactMap { container.mainContext.model(for: $0) as? Novel }
  }
}

/// The declarations of a view.
final class NovelList: ModelContextProviding {
  let modelContext: ModelContext
  @Query(filter: #Predicate<Novel> { $0.pages > 10 }, sort: \Novel.title) var long: [Novel]

  init(_ container: ModelContainer) {
    modelContext = container.mainContext
  }

  func count() throws -> Int {
    try ResultsObserver<Author, Never>(
      filterBy: #Predicate { $0.novels.count > 1 }, sortBy: [SortDescriptor(\.name)],
      modelContext: modelContext
    ).results.count
  }
}
