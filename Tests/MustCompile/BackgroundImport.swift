import Foundation
import SwiftData

/// A row of a feed: plain values cross from one actor to another.
struct FeedItem: Codable, Sendable {
  let code: String
  let title: String
  let date: Date
}

@Model
final class FeedEntry {
  @Attribute(.unique) var code: String
  var title: String
  var date: Date

  init(_ item: FeedItem) {
    code = item.code
    title = item.title
    date = item.date
  }
}

@ModelActor
actor FeedImporter {
  private(set) var imported = 0

  func load(_ items: [FeedItem]) throws -> [PersistentIdentifier] {
    let entries = items.map(FeedEntry.init)
    for entry in entries { modelContext.insert(entry) }
    try modelContext.save()
    imported += entries.count
    return entries.map(\.persistentModelID)
  }

  func rename(_ id: PersistentIdentifier, to title: String) throws {
    guard let entry = self[id, as: FeedEntry.self] else { return }
    entry.title = title
    try modelContext.save()
  }

  func count(since date: Date) throws -> Int {
    try modelContext.fetchCount(
      FetchDescriptor<FeedEntry>(predicate: #Predicate { $0.date >= date }))
  }
}

/// An actor that creates its context itself.
actor FeedCleaner: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor
  private let limit: Int

  init(_ container: ModelContainer, limit: Int) {
    modelContainer = container
    let context = ModelContext(container)
    context.autosaveEnabled = false
    modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.limit = limit
  }

  func clean(before date: Date) throws {
    try modelContext.delete(model: FeedEntry.self, where: #Predicate { $0.date < date })
    try modelContext.save()
  }
}

func refresh(_ items: [FeedItem], in container: ModelContainer) async throws -> Int {
  let importer = FeedImporter(modelContainer: container)
  let ids = try await importer.load(items)
  try await withThrowingTaskGroup(of: Void.self) { group in
    for id in ids {
      group.addTask { try await importer.rename(id, to: "renamed") }
    }
    try await group.waitForAll()
  }
  try await FeedCleaner(container, limit: 10).clean(before: .distantPast)
  return try await importer.count(since: .distantPast)
}

func refreshInBackground(_ container: ModelContainer) -> Task<Int, any Error> {
  Task.detached { try await refresh([], in: container) }
}
