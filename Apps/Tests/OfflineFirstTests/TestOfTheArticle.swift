import Foundation
import SwiftData
import Testing

// The test of docs/offline-first.md, as a user writes it.

@Test func fallsBackToLocalWhenNetworkFails() async throws {
  let context = ModelContext(try makeContainer(inMemory: true))
  context.insert(
    StoredLandmark(
      remoteID: 1, name: "Half Dome", state: "California", city: "Yosemite Valley",
      category: "mountains", isFeatured: true, isFavorite: false, imageName: "halfdome",
      latitude: 37.7459, longitude: -119.5332, landmarkDescription: "A granite dome"))
  try context.save()

  let service = LandmarkService.offlineCapable(
    authService: AuthService { nil }, modelContext: context, baseURL: "http://127.0.0.1:1")
  let landmarks = try await service.fetchAll()
  #expect(landmarks.map(\.name) == ["Half Dome"])
}
