import Foundation
import LandmarksKit
import SwiftData
import Testing

@testable import ProgramTesting

@Suite("The landmark service, with and without its server")
struct LandmarkServiceTests {
  private func context() throws -> ModelContext {
    let config = ModelConfiguration(isStoredInMemoryOnly: true)
    return ModelContext(try ModelContainer(for: StoredLandmark.self, configurations: config))
  }

  @Test("the landmarks are taken within the limits of the threat model, from their own host only")
  func limits() throws {
    let url = try #require(URL(string: "http://127.0.0.1:1"))
    let store = try LandmarkStore(file: nil)
    _ = try LandmarkFeed(url, token: nil, into: store.container) { configuration in
      #expect(configuration.http.maximumWireBytes == 4 << 20)
      #expect(configuration.http.totalDeadline == .seconds(15))
      #expect(configuration.http.allowedRedirectHosts == [])
    }
  }

  @Test("after a network failure the service returns the store's landmarks")
  func fallsBackToLocalWhenNetworkFails() async throws {
    let context = try context()
    let stored = StoredLandmark(
      remoteID: 1, name: "Half Dome", state: "California", city: "Yosemite",
      category: "mountains", isFeatured: true, isFavorite: false, imageName: "halfdome",
      latitude: 37.7459, longitude: -119.5332, landmarkDescription: "A granite dome")
    context.insert(stored)
    try context.save()
    let service = LandmarkService(fetchAll: { try fetchFromLocal(context: context) })
    let landmarks = try await service.fetchAll()
    #expect(landmarks.count == 1)
    #expect(landmarks[0].name == "Half Dome")
  }

  @Test("without a server, the offline-capable service returns the stored landmarks")
  func offline() async throws {
    let context = try context()
    context.insert(Fixtures.landmark(1, isFavorite: true).toStored())
    try context.save()
    // Port 1 is reserved, and none of our servers listens on it.
    let service = LandmarkService.offlineCapable(
      authService: AuthService { nil }, modelContext: context, baseURL: "http://127.0.0.1:1")
    let landmarks = try await service.fetchAll()
    #expect(landmarks == [Fixtures.landmark(1, isFavorite: true)])
  }

  @Test("the server's landmarks are stored; the request carries the token")
  func keepsWhatItFetched() async throws {
    let context = try context()
    try await withAnswers([.json(200, Self.answer(["Half Dome", "Lake Tahoe"]))]) { server in
      let service = LandmarkService.offlineCapable(
        authService: AuthService { "secret-token" }, modelContext: context, baseURL: server.address)
      let landmarks = try await service.fetchAll()
      #expect(landmarks.map(\.name) == ["Half Dome", "Lake Tahoe"])
      #expect(server.requests.first?.contains("GET /landmarks HTTP/1.1") == true)
      #expect(server.requests.first?.contains("Bearer secret-token") == true)
    }
    #expect(try fetchFromLocal(context: ModelContext(context.container)).count == 2)
  }

  @Test("a refetch updates the server's properties and keeps the user's favorite mark")
  func refetchKeepsFavorites() async throws {
    let context = try context()
    let answers: [Answer] = [
      .json(200, Self.answer(["Half Dome", "Lake Tahoe"])),
      .json(200, Self.answer(["Half Dome, renamed", "Lake Tahoe"])),
    ]
    try await withAnswers(answers) { server in
      let service = LandmarkService.offlineCapable(
        authService: AuthService { nil }, modelContext: context, baseURL: server.address)
      _ = try await service.fetchAll()
      try LandmarkService.toggleFavoriteLocally(landmarkID: 0, context: context)
      let again = try await service.fetchAll()
      #expect(again.map(\.name) == ["Half Dome, renamed", "Lake Tahoe"])
      #expect(again.map(\.isFavorite) == [true, false])
    }
  }

  @Test("a place that is nowhere on Earth is left out, the others are kept")
  func impossiblePlace() async throws {
    let context = try context()
    let body = Self.answer(["Half Dome", "Nowhere"]).replacingOccurrences(
      of: #""latitude":41.0"#, with: #""latitude":141.0"#)
    try await withAnswers([.json(200, body)]) { server in
      let service = LandmarkService.offlineCapable(
        authService: AuthService { nil }, modelContext: context, baseURL: server.address)
      let landmarks = try await service.fetchAll()
      #expect(landmarks.map(\.name) == ["Half Dome"])
    }
  }

  @Test("landmarks of a category and favorites come by name")
  func queries() throws {
    let context = try context()
    var lake = Fixtures.landmark(3, "Crater Lake")
    lake.category = .lakes
    for landmark in [Fixtures.landmark(1, "B"), Fixtures.landmark(2, "A", isFavorite: true), lake] {
      context.insert(landmark.toStored())
    }
    try context.save()
    let mountains = try LandmarkService.fetchByCategory("mountains", context: context)
    #expect(mountains.map(\.name) == ["A", "B"])
    #expect(try LandmarkService.fetchByCategory("caves", context: context).isEmpty)
    #expect(try LandmarkService.fetchFavorites(context: context).map(\.id) == [2])
  }

  @Test("a toggle turns the mark and back, and one of an unknown landmark does nothing")
  func toggle() throws {
    let context = try context()
    context.insert(Fixtures.landmark(1).toStored())
    try context.save()
    try LandmarkService.toggleFavoriteLocally(landmarkID: 1, context: context)
    #expect(try LandmarkService.fetchFavorites(context: ModelContext(context.container)).count == 1)
    try LandmarkService.toggleFavoriteLocally(landmarkID: 1, context: context)
    #expect(try LandmarkService.fetchFavorites(context: context).isEmpty)
    try LandmarkService.toggleFavoriteLocally(landmarkID: 9, context: context)
  }

  @Test("domain and store agree, and an unknown category counts as lakes")
  func conversion() {
    let landmark = Fixtures.landmark(7, isFavorite: true)
    #expect(landmark.toStored().toDomain() == landmark)
    let odd = landmark.toStored()
    odd.category = "volcanoes"
    #expect(odd.toDomain().category == .lakes)
  }

  @Test("the server's form has no favorite's mark, and its unknown categories count as lakes")
  func serverForm() throws {
    let landmark = Fixtures.landmark(7, isFavorite: true)
    let json = String(decoding: try JSONEncoder.landmarks.encode(landmark), as: UTF8.self)
    #expect(
      json
        == #"{"category":"mountains","city":"Yosemite","coordinates":{"latitude":37.7459,"#
        + #""longitude":-119.5332},"description":"A granite dome","id":7,"imageName":"halfdome","#
        + #""isFeatured":true,"name":"Half Dome","state":"California"}"#)
    let odd = json.replacingOccurrences(of: "mountains", with: "volcanoes")
      .replacingOccurrences(of: #""id":7"#, with: #""id":7,"isFavorite":true"#)
    let read = try JSONDecoder.landmarks.decode(Landmark.self, from: Data(odd.utf8))
    #expect(read.category == .lakes && !read.isFavorite && read.coordinates == landmark.coordinates)
  }

  @Test("data older than half an hour get a note")
  func freshness() {
    let freshness = Freshness(lastSynced: Fixtures.now)
    #expect(freshness.hint(at: Fixtures.now.addingTimeInterval(30 * 60)) == nil)
    #expect(freshness.hint(at: Fixtures.now.addingTimeInterval(42 * 60)) == "Updated 42 min ago")
    #expect(Freshness(lastSynced: nil).hint(at: Fixtures.now) == nil)
    #expect(Freshness(lastSynced: nil).line(at: Fixtures.now) == "Never updated")
    for seconds in [Double.infinity, 1e300, .nan] {
      let later = Freshness(lastSynced: Date(timeIntervalSinceReferenceDate: seconds))
      #expect(later.line(at: Fixtures.now) == "Updated just now")
      #expect(later.hint(at: Fixtures.now) == nil)
    }
    let never = Freshness(lastSynced: Date(timeIntervalSinceReferenceDate: -1e300))
    #expect(never.line(at: Fixtures.now) == "Updated 694444 days ago")
    #expect(freshness.line(at: Fixtures.now.addingTimeInterval(7_260)) == "Updated 2 h ago")
    #expect(freshness.line(at: Fixtures.now.addingTimeInterval(259_200)) == "Updated 3 days ago")
  }

  private static func answer(_ names: [String]) -> String {
    let items = names.enumerated().map { index, name in
      #"{"id":\#(index),"name":"\#(name)","state":"California","city":"Lee Vining","category":"lakes","#
        + #""isFeatured":false,"imageName":"x","coordinates":{"latitude":4\#(index).0,"longitude":-119.0},"#
        + #""description":"A place."}"#
    }
    return "[\(items.joined(separator: ","))]"
  }
}
