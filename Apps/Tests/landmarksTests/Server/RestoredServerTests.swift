import Foundation
import LandmarksKit
import SwiftData
import Testing

@testable import landmarks
@testable import ProgramTesting
@testable import TestSupport

@Suite("A server whose store is replaced by an older copy", .timeLimit(.minutes(20)))
struct RestoredServerTests {
  private let folder: TemporaryFolder
  private let device: LandmarkStore
  private let visit = Reservation(landmarkID: 1002, date: Date().addingTimeInterval(86_400))

  init() throws {
    folder = try TemporaryFolder()
    device = try LandmarkStore(file: nil)
    let context = ModelContext(device.container)
    for landmark in try LandmarkCatalogue.load() { context.insert(landmark.toStored()) }
    try context.save()
  }

  private func store(_ name: String) throws -> ServedStore {
    try ServedStore(file: folder.file(name), landmarks: LandmarkCatalogue.load())
  }

  /// Copies the files of a store that is closed.
  private func copy(_ name: String, to other: String) throws {
    for suffix in ["", "-wal"] {
      let source = folder.file(name + suffix)
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      try FileManager.default.copyItem(at: source, to: folder.file(other + suffix))
    }
  }

  private func exchange(_ device: LandmarkStore, _ client: WireClient) async throws -> Int {
    let sync = try LandmarkSync(
      device, server: try #require(URL(string: client.address)), token: { alice })
    return try await sync.exchange().restored
  }

  @Test(
    "the device sends marks, visits and photos again that the server lost",
    arguments: ["copy", "empty", "changed copy"])
  func restored(kind: String) async throws {
    try await withServer(store: store("a.store")) { client async throws in
      try device.setFavorite(1001, true)
      try device.reserve(1002, on: visit.date, note: "Water", id: visit.id)
      _ = try await exchange(device, client)
    }
    if kind != "empty" { try copy("a.store", to: "b.store") }
    try await withServer(store: store("a.store")) { client async throws in
      try device.setFavorite(1003, true)
      _ = try device.setNote(visit.id, "Water, tent")
      try device.add(
        VisitPhoto(reservationID: visit.id, caption: "The wall"),
        data: SamplePhotos.jpeg(count: 40_000))
      #expect(try await exchange(device, client) == 0)
    }
    let served = try store("b.store")
    try await withServer(store: served) { client async throws in
      if kind == "changed copy" {
        let answer = try await client.request("PUT", "/favorites/1004", by: alice)
        #expect(answer.status == 204)
      }
      // The marks and the visit of the copy have lost versions, too, as they were read at those.
      #expect(try await exchange(device, client) > 2)
      var favorites = [1001, 1003]
      if kind == "changed copy" { favorites.append(1004) }
      #expect(try await served.favorites(of: "alice") == favorites)
      #expect(try await served.reservation(visit.id, of: "alice").note == "Water, tent")
      #expect(try await served.photos(of: "alice").map(\.caption) == ["The wall"])
      #expect(try await exchange(device, client) == 0)
      let other = try LandmarkStore(file: nil)
      let context = ModelContext(other.container)
      for landmark in try LandmarkCatalogue.load() { context.insert(landmark.toStored()) }
      try context.save()
      _ = try await exchange(other, client)
      #expect(
        try other.landmarks(LandmarkQuery(favoritesOnly: true)).map(\.id).sorted() == favorites)
      #expect(try other.reservation(visit.id)?.note == "Water, tent")
    }
  }

  @Test("A last revision that can't be is an error, and no state is lost")
  func impossibleRevision() async throws {
    for value in [Int.max, Int.min, -1] {
      let file = folder.newFile("store")
      let served = try ServedStore(file: file, landmarks: LandmarkCatalogue.load())
      try await served.setFavorite(1002, true, of: "alice")
      let context = ModelContext(await served.container)
      try #require(try context.fetch(FetchDescriptor<ServedCounter>()).first).value = value
      try context.save()
      let error = await #expect(throws: LandmarksError.self) {
        try await served.setFavorite(1003, true, of: "alice")
      }
      #expect(error?.code == .storeFailure && error?.reason.contains("\(value)") == true)
      #expect(try await served.favorites(of: "alice") == [1002])
    }
  }
}
