import Foundation
import LocalCopy
import SwiftData

// The service of docs/offline-first.md, as a user writes it.

struct LandmarkResponse: Decodable {
  var id: Int
  var name: String
  var state: String
  var city: String
  var category: String
  var isFeatured: Bool
  var isFavorite: Bool?
  var imageName: String
  var coordinates: Landmark.Coordinates
  var description: String

  func toDomain() -> Landmark {
    Landmark(
      id: id, name: name, state: state, city: city,
      category: Landmark.Category(rawValue: category) ?? .lakes, isFeatured: isFeatured,
      isFavorite: isFavorite ?? false, imageName: imageName, coordinates: coordinates,
      description: description)
  }
}

func makeContainer(inMemory: Bool = false) throws -> ModelContainer {
  let schema = Schema([StoredLandmark.self, StoredReservation.self])
  let config = ModelConfiguration(isStoredInMemoryOnly: inMemory)
  return try ModelContainer(for: schema, configurations: [config])
}

struct AuthService {
  var loadToken: () -> String?
}

struct LandmarkService {
  var fetchAll: nonisolated(nonsending) () async throws -> [Landmark]
}

extension LandmarkService {
  static func offlineCapable(
    authService: AuthService, modelContext: ModelContext, baseURL: String
  ) -> LandmarkService {
    LandmarkService(
      fetchAll: {
        do {
          let landmarks = try await fetchFromNetwork(baseURL, token: authService.loadToken())
          try saveToLocal(landmarks, context: modelContext)
          return landmarks
        } catch {
          return try fetchFromLocal(context: modelContext)
        }
      })
  }
}

func saveToLocal(_ landmarks: [Landmark], context: ModelContext) throws {
  for landmark in landmarks { context.insert(landmark.toStored()) }
  try context.save()
}

func fetchFromLocal(context: ModelContext) throws -> [Landmark] {
  let descriptor = FetchDescriptor<StoredLandmark>(sortBy: [SortDescriptor(\.name)])
  return try context.fetch(descriptor).map { $0.toDomain() }
}

func saveKeepingFavorites(_ landmarks: [Landmark], context: ModelContext) throws {
  let marked = try LandmarkService.fetchFavorites(context: context)
  let favorites = Set(marked.map(\.id))
  for landmark in landmarks {
    let stored = landmark.toStored()
    stored.isFavorite = favorites.contains(landmark.id)
    context.insert(stored)
  }
  try context.save()
}

func makeCopy(
  of baseURL: String, token: String, in container: ModelContainer
) throws -> LocalCopy<LandmarkResponse, StoredLandmark> {
  var configuration = LocalCopyConfiguration()
  configuration.http.headers["Authorization"] = "Bearer \(token)"
  return try LocalCopy(
    of: FeedSource("\(baseURL)/landmarks"), elements: .root, decode: LandmarkResponse.self,
    into: container, keeping: [\.isFavorite], configuration: configuration
  ) { $0.toDomain().toStored() }
}
