import Foundation
import LocalCopy
import SwiftData

/// The default address of the server.
public enum API {
  /// The address of a server on this machine.
  public static let baseURL = "http://127.0.0.1:8090"
}

/// The source of the bearer token.
public struct AuthService: Sendable {
  /// The token; nil when there is none.
  public var loadToken: @Sendable () -> String?

  public init(loadToken: @escaping @Sendable () -> String?) { self.loadToken = loadToken }

  /// A service that reads the environment variable `LANDMARKS_TOKEN`.
  public static let live = AuthService {
    ProcessInfo.processInfo.environment["LANDMARKS_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// Provides landmarks, from the server or from the store.
public struct LandmarkService {
  /// Returns all landmarks, ordered by name.
  public var fetchAll: nonisolated(nonsending) () async throws -> [Landmark]

  public init(fetchAll: nonisolated(nonsending) @escaping () async throws -> [Landmark]) {
    self.fetchAll = fetchAll
  }
}

extension LandmarkService {
  /// Returns a service that asks the server, stores its answer, and returns the stored landmarks
  /// when the server doesn't answer. The favorite marks belong to the user in either case.
  /// - Parameters:
  ///   - authService: The source of the token, asked at each call.
  ///   - modelContext: A context whose container keeps the landmarks.
  ///   - baseURL: The server's address.
  public static func offlineCapable(
    authService: AuthService, modelContext: ModelContext, baseURL: String = API.baseURL
  ) -> LandmarkService {
    LandmarkService(
      fetchAll: {
        do {
          try await fetchFromNetwork(
            authService: authService, baseURL: baseURL, container: modelContext.container)
        } catch is CancellationError {
          throw CancellationError()
        } catch {
          // Without the server, return the stored landmarks.
          return try fetchFromLocal(context: modelContext)
        }
        return try fetchFromLocal(context: modelContext)
      })
  }

  /// Returns the landmarks of a category in the store, ordered by name.
  public static func fetchByCategory(
    _ category: String, context: ModelContext
  ) throws -> [Landmark] {
    let descriptor = FetchDescriptor<StoredLandmark>(
      predicate: #Predicate { $0.category == category }, sortBy: [SortDescriptor(\.name)])
    return try context.fetch(descriptor).map { $0.toDomain() }
  }

  /// Returns the favorites in the store, ordered by name.
  public static func fetchFavorites(context: ModelContext) throws -> [Landmark] {
    let descriptor = FetchDescriptor<StoredLandmark>(
      predicate: #Predicate { $0.isFavorite }, sortBy: [SortDescriptor(\.name)])
    return try context.fetch(descriptor).map { $0.toDomain() }
  }

  /// Toggles the favorite mark of a landmark in the store immediately; the server gets the change
  /// later. Does nothing if the store doesn't have the landmark.
  public static func toggleFavoriteLocally(landmarkID: Int, context: ModelContext) throws {
    guard let stored = try LandmarkStore.stored(landmarkID, context) else { return }
    stored.isFavorite.toggle()
    try context.save()
  }
}

/// Brings the store up to date. Sends the request even while the server's cache lifetime lasts: the
/// caller asks for current data.
private func fetchFromNetwork(
  authService: AuthService, baseURL: String, container: ModelContainer
) async throws {
  guard let server = URL(string: baseURL) else {
    throw LandmarksError(.invalidArgument, baseURL, reason: "not an address of a server")
  }
  let feed = try LandmarkFeed(server, token: authService.loadToken(), into: container)
  try await feed.copy.refresh(force: true)
}

/// Returns the landmarks in the store, ordered by name.
package func fetchFromLocal(context: ModelContext) throws -> [Landmark] {
  let descriptor = FetchDescriptor<StoredLandmark>(sortBy: [SortDescriptor(\.name)])
  return try context.fetch(descriptor).map { $0.toDomain() }
}
