import Foundation
import LocalCopy
import SwiftData
import Testing

@testable import ProgramTesting
@testable import TestSupport

/// The claims of docs/offline-first.md about its code.
@Suite("The code of the page about an offline-first app", .timeLimit(.minutes(20)))
struct OfflineStorageArticleTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try makeContainer(inMemory: true)
    context = ModelContext(container)
  }

  private func landmark(
    _ id: Int, _ name: String, _ category: Landmark.Category = .mountains, isFavorite: Bool = false
  ) -> Landmark {
    Landmark(
      id: id, name: name, state: "California", city: "Yosemite Valley", category: category,
      isFeatured: true, isFavorite: isFavorite, imageName: "halfdome",
      coordinates: .init(latitude: 37.7459, longitude: -119.5332), description: "A granite dome")
  }

  /// Runs `landmarks serve`.
  private func withLandmarksServer<Result>(
    _ body: (_ server: RunningProgram, _ token: String) async throws -> Result
  ) async throws -> Result {
    let folder = try TemporaryFolder("article")
    let token = "article-0123456789abcdef"
    let program = try Program(
      "landmarks", folder: folder.url, environment: ["LANDMARKS_TOKEN": token])
    let server = try await program.serve([
      "serve", "--port", "0", "--store", folder.file("server.store").path,
    ])
    return try await body(server, token)
  }

  @Test("a landmark is the same after a way through the store")
  func conversion() throws {
    context.insert(landmark(1, "Half Dome", isFavorite: true).toStored())
    try context.save()
    let read = try fetchFromLocal(context: ModelContext(container))
    #expect(read == [landmark(1, "Half Dome", isFavorite: true)])
  }

  @Test("of a category that the program doesn't know, a stored landmark becomes a lake")
  func unknownCategory() {
    let stored = landmark(1, "Lava Beds").toStored()
    stored.category = "volcanoes"
    #expect(stored.toDomain().category == .lakes)
  }

  @Test("a landmark that is inserted again updates the row with its number")
  func upsert() throws {
    try saveToLocal([landmark(1, "Half Dome"), landmark(2, "El Capitan")], context: context)
    let before = try context.fetchIdentifiers(FetchDescriptor<StoredLandmark>())
    try saveToLocal([landmark(1, "Half Dome, renamed")], context: ModelContext(container))
    let fresh = ModelContext(container)
    #expect(try fetchFromLocal(context: fresh).map(\.name) == ["El Capitan", "Half Dome, renamed"])
    let after = try fresh.fetchIdentifiers(FetchDescriptor<StoredLandmark>())
    #expect(Set(after) == Set(before))
  }

  @Test("an upsert sets every property, so a refetch takes the favorite mark away")
  func upsertTakesTheMark() throws {
    try saveToLocal([landmark(1, "Half Dome")], context: context)
    try LandmarkService.toggleFavoriteLocally(landmarkID: 1, context: context)
    #expect(try LandmarkService.fetchFavorites(context: context).count == 1)
    try saveToLocal([landmark(1, "Half Dome")], context: context)
    #expect(try LandmarkService.fetchFavorites(context: context).isEmpty)
  }

  @Test("a save that looks the marks up keeps them")
  func marksKept() throws {
    try saveToLocal([landmark(1, "Half Dome"), landmark(2, "El Capitan")], context: context)
    try LandmarkService.toggleFavoriteLocally(landmarkID: 1, context: context)
    let sent = [landmark(1, "Half Dome, renamed"), landmark(2, "El Capitan")]
    try saveKeepingFavorites(sent, context: ModelContext(container))
    let favorites = try LandmarkService.fetchFavorites(context: ModelContext(container))
    #expect(favorites.map(\.name) == ["Half Dome, renamed"])
  }

  @Test("with its server the service stores the landmarks; without, it returns the stored ones")
  func offlineCapable() async throws {
    let online = try await withLandmarksServer { server, token in
      let service = LandmarkService.offlineCapable(
        authService: AuthService { token }, modelContext: context, baseURL: server.address)
      let online = try await service.fetchAll()
      #expect(online.count == 80)
      try await server.stop()
      let offline = try await service.fetchAll()
      #expect(offline.count == 80 && Set(offline) == Set(online))
      return online
    }
    #expect(try fetchFromLocal(context: ModelContext(container)).count == online.count)
  }

  @Test("an expired token and an answer that isn't a list look like a server that is away")
  func otherFailures() async throws {
    try saveToLocal([landmark(1, "Half Dome")], context: context)
    let answers: [Answer] = [.json(401, #"{"error":{"code":"unauthorized"}}"#), .json(200, "{}")]
    try await withAnswers(answers) { server in
      let service = LandmarkService.offlineCapable(
        authService: AuthService { "expired" }, modelContext: context, baseURL: server.address)
      for _ in 1...2 {
        let landmarks = try await service.fetchAll()
        #expect(landmarks.map(\.name) == ["Half Dome"])
      }
      #expect(server.requests.allSatisfy { $0.contains("Bearer expired") })
    }
  }

  @Test("a local copy fetches the same landmarks, keeps the marks, and reports its failure")
  func localCopy() async throws {
    try await withLandmarksServer { server, token in
      let copy = try makeCopy(of: server.address, token: token, in: container)
      #expect(try await copy.refresh().inserted == 80)
      try LandmarkService.toggleFavoriteLocally(landmarkID: 1002, context: context)
      try await copy.refresh(force: true)
      try await server.stop()
      let error = await #expect(throws: LocalCopyError.self) { try await copy.refresh(force: true) }
      #expect(error?.code == .connectionFailed)
    }
    let favorites = try LandmarkService.fetchFavorites(context: ModelContext(container))
    #expect(favorites.map(\.name) == ["El Capitan"])
  }

  @Test("landmarks of a category, and favorites, come in the order of their names")
  func queries() throws {
    let landmarks = [
      landmark(1, "Half Dome"), landmark(2, "El Capitan"), landmark(3, "Tenaya Lake", .lakes),
    ]
    try saveToLocal(landmarks, context: context)
    let mountains = try LandmarkService.fetchByCategory("mountains", context: context)
    #expect(mountains.map(\.name) == ["El Capitan", "Half Dome"])
    for id in [3, 1] {
      try LandmarkService.toggleFavoriteLocally(landmarkID: id, context: context)
    }
    let favorites = try LandmarkService.fetchFavorites(context: ModelContext(container))
    #expect(favorites.map(\.name) == ["Half Dome", "Tenaya Lake"])
  }

  @Test("a toggle is stored at once, a second one takes it back, one of no landmark does nothing")
  func toggle() throws {
    try saveToLocal([landmark(1, "Half Dome")], context: context)
    try LandmarkService.toggleFavoriteLocally(landmarkID: 1, context: context)
    #expect(try LandmarkService.fetchFavorites(context: ModelContext(container)).count == 1)
    try LandmarkService.toggleFavoriteLocally(landmarkID: 1, context: context)
    #expect(try LandmarkService.fetchFavorites(context: ModelContext(container)).isEmpty)
    try LandmarkService.toggleFavoriteLocally(landmarkID: 9, context: context)
  }

  @Test("a view with a query shows a toggle that another context makes")
  @MainActor func liveQuery() async throws {
    try saveToLocal([landmark(1, "Half Dome"), landmark(2, "El Capitan")], context: context)
    let view = FavoritesView(container)
    var shown: [String] = []
    await Task {
      await follow(view) { text in
        shown.append(text)
        do {
          if shown.count < 3 {
            try LandmarkService.toggleFavoriteLocally(landmarkID: shown.count, context: context)
          } else {
            withUnsafeCurrentTask { $0?.cancel() }
          }
        } catch { Issue.record(error) }
      }
    }.value
    #expect(shown == ["No favorites yet.", "Half Dome", "El Capitan\nHalf Dome"])
  }

  @Test("data get a hint when they are older than half an hour")
  func freshness() {
    let now = Date(timeIntervalSince1970: 1_906_545_600)
    #expect(SyncStatus(lastSynced: nil).text(at: now) == nil)
    #expect(SyncStatus(lastSynced: now.addingTimeInterval(-1_800)).text(at: now) == nil)
    let old = SyncStatus(lastSynced: now.addingTimeInterval(-2_520))
    #expect(old.text(at: now) == "Updated 42 min ago")
  }
}
