import Foundation
import Observation
import SwiftData

// The queries, the edit and the texts of docs/offline-first.md, as a user writes them.

extension LandmarkService {
  static func fetchByCategory(_ category: String, context: ModelContext) throws -> [Landmark] {
    let descriptor = FetchDescriptor<StoredLandmark>(
      predicate: #Predicate { $0.category == category }, sortBy: [SortDescriptor(\.name)])
    return try context.fetch(descriptor).map { $0.toDomain() }
  }

  static func fetchFavorites(context: ModelContext) throws -> [Landmark] {
    let descriptor = FetchDescriptor<StoredLandmark>(
      predicate: #Predicate { $0.isFavorite }, sortBy: [SortDescriptor(\.name)])
    return try context.fetch(descriptor).map { $0.toDomain() }
  }
}

extension LandmarkService {
  static func toggleFavoriteLocally(landmarkID: Int, context: ModelContext) throws {
    let descriptor = FetchDescriptor<StoredLandmark>(
      predicate: #Predicate { $0.remoteID == landmarkID })
    guard let stored = try context.fetch(descriptor).first else { return }
    stored.isFavorite.toggle()
    try context.save()
  }
}

@MainActor
final class FavoritesView: ModelContextProviding {
  let modelContext: ModelContext
  @Query(filter: #Predicate<StoredLandmark> { $0.isFavorite }, sort: \.name)
  private var favorites: [StoredLandmark]

  init(_ container: ModelContainer) { modelContext = container.mainContext }

  var text: String {
    favorites.isEmpty ? "No favorites yet." : favorites.map(\.name).joined(separator: "\n")
  }
}

@MainActor
func follow(_ view: FavoritesView, show: (String) -> Void) async {
  for await text in Observations({ view.text }) { show(text) }
}

struct SyncStatus {
  let lastSynced: Date?

  func text(at now: Date = .now) -> String? {
    guard let lastSynced else { return nil }
    let minutes = Int(now.timeIntervalSince(lastSynced) / 60)
    return minutes > 30 ? "Updated \(minutes) min ago" : nil
  }
}
