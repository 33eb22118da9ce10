import Foundation
import LocalCopy
import SwiftData

/// Where the server is when nobody says otherwise.
public enum API {
  /// The address of a server on this machine.
  public static let baseURL = "http://127.0.0.1:8090"
}

/// Where the bearer token comes from.
public struct AuthService: Sendable {
  /// The token; nil when there is none.
  public var loadToken: @Sendable () -> String?

  public init(loadToken: @escaping @Sendable () -> String?) { self.loadToken = loadToken }

  /// The variable `LANDMARKS_TOKEN`.
  public static let live = AuthService {
    ProcessInfo.processInfo.environment["LANDMARKS_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// Gives landmarks, from wherever they can be had.
public struct LandmarkService {
  /// All landmarks, by name.
  public var fetchAll: nonisolated(nonsending) () async throws -> [Landmark]

  public init(fetchAll: nonisolated(nonsending) @escaping () async throws -> [Landmark]) {
    self.fetchAll = fetchAll
  }
}

extension LandmarkService {
  /// A service that asks the server, keeps what it answers, and gives what was kept when the server
  /// doesn't answer. The favourites' marks are the user's in either case.
  /// - Parameters:
  ///   - authService: where the token comes from, asked at each call.
  ///   - modelContext: whose container keeps the landmarks.
  ///   - baseURL: the server's address.
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
          // Without the server there is what was kept.
          return try fetchFromLocal(context: modelContext)
        }
        return try fetchFromLocal(context: modelContext)
      })
  }

  /// The landmarks of a category in the store, by name.
  public static func fetchByCategory(
    _ category: String, context: ModelContext
  ) throws -> [Landmark] {
    let descriptor = FetchDescriptor<StoredLandmark>(
      predicate: #Predicate { $0.category == category }, sortBy: [SortDescriptor(\.name)])
    return try context.fetch(descriptor).map { $0.toDomain() }
  }

  /// The favourites in the store, by name.
  public static func fetchFavorites(context: ModelContext) throws -> [Landmark] {
    let descriptor = FetchDescriptor<StoredLandmark>(
      predicate: #Predicate { $0.isFavorite }, sortBy: [SortDescriptor(\.name)])
    return try context.fetch(descriptor).map { $0.toDomain() }
  }

  /// Turns a landmark's mark, in the store and at once; the server hears of it later. A landmark
  /// that the store doesn't have is left alone.
  public static func toggleFavoriteLocally(landmarkID: Int, context: ModelContext) throws {
    guard let stored = try LandmarkStore.stored(landmarkID, context) else { return }
    stored.isFavorite.toggle()
    try context.save()
  }
}

/// Brings the store up to date. Asks also within the time for which the server vouched: whoever
/// calls wants to know.
private func fetchFromNetwork(
  authService: AuthService, baseURL: String, container: ModelContainer
) async throws {
  guard let server = URL(string: baseURL) else {
    throw LandmarksError(.invalidArgument, baseURL, reason: "not an address of a server")
  }
  let feed = try LandmarkFeed(server, token: authService.loadToken(), into: container)
  try await feed.copy.refresh(force: true)
}

/// The landmarks in the store, by name.
package func fetchFromLocal(context: ModelContext) throws -> [Landmark] {
  let descriptor = FetchDescriptor<StoredLandmark>(sortBy: [SortDescriptor(\.name)])
  return try context.fetch(descriptor).map { $0.toDomain() }
}
