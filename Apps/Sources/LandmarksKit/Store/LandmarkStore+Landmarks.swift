import Foundation
import SwiftData

extension LandmarkStore {
  /// Returns the landmarks that match a query, ordered by name.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func landmarks(_ query: LandmarkQuery = LandmarkQuery()) throws -> [Landmark] {
    try working("read") { context in
      let descriptor = FetchDescriptor<StoredLandmark>(
        predicate: query.predicate, sortBy: [SortDescriptor(\.name), SortDescriptor(\.remoteID)])
      return try context.fetch(descriptor).map { $0.toDomain() }
    }
  }

  /// Returns the landmark with this number; nil if the store has none.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func landmark(_ id: Int) throws -> Landmark? {
    try working("read") { try Self.stored(id, $0)?.toDomain() }
  }

  /// Sets or removes the favorite mark of a landmark. The server gets the change later.
  /// - Throws: ``LandmarksError/Code/notFound``, ``LandmarksError/Code/storeFailure``.
  public func setFavorite(_ id: Int, _ isFavorite: Bool) throws {
    try editing { try Self.setFavorite(id, isFavorite, $0) }
  }

  static func setFavorite(_ id: Int, _ isFavorite: Bool, _ context: ModelContext) throws {
    guard let landmark = try stored(id, context) else {
      throw LandmarksError(.notFound, "\(id)", reason: "there is no such landmark in the store")
    }
    if landmark.isFavorite != isFavorite { landmark.isFavorite = isFavorite }
  }

  /// Returns the time at which a refresh last wrote landmarks, from any server; nil if none ever
  /// did.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func lastRefreshed() throws -> Date? {
    try working("read") { context in
      var descriptor = FetchDescriptor<StoredLandmark>(
        sortBy: [SortDescriptor(\.lastSynced, order: .reverse)])
      descriptor.fetchLimit = 1
      return try context.fetch(descriptor).first?.lastSynced
    }
  }

  static func stored(_ id: Int, _ context: ModelContext) throws -> StoredLandmark? {
    var descriptor = FetchDescriptor<StoredLandmark>(predicate: #Predicate { $0.remoteID == id })
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }
}

extension LandmarkQuery {
  /// The condition. Each field that is set is a predicate of its own, so that an index can serve
  /// it.
  var predicate: Predicate<StoredLandmark>? {
    var parts: [Predicate<StoredLandmark>] = []
    if let category = category?.rawValue { parts.append(#Predicate { $0.category == category }) }
    if let state { parts.append(#Predicate { $0.state == state }) }
    if favoritesOnly { parts.append(#Predicate { $0.isFavorite }) }
    if let text, !text.isEmpty {
      parts.append(
        #Predicate {
          $0.name.localizedStandardContains(text) || $0.city.localizedStandardContains(text)
            || $0.state.localizedStandardContains(text)
        })
    }
    return parts.isEmpty ? nil : Predicate(all: parts)
  }
}
