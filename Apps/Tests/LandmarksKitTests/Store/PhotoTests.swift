import Foundation
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import Testing

@testable import LandmarksKit
@testable import ProgramTesting
@testable import TestSupport

@Suite("Photos in the store")
struct PhotoTests {
  private func store() throws -> (LandmarkStore, Reservation) {
    let store = try Fixtures.store([Fixtures.landmark(1)])
    return (store, try store.reserve(1, on: Fixtures.noon, now: Fixtures.now))
  }

  @Test("a photo is added to its visit once, listed without its bytes, and removed")
  func added() throws {
    let (store, visit) = try store()
    let photo = VisitPhoto(reservationID: visit.id, added: Fixtures.now, caption: " From below ")
    let data = SamplePhotos.jpeg(count: 100_000)
    #expect(photo.caption == "From below")
    try store.add(photo, data: data)
    try store.add(photo, data: data)
    #expect(try store.photos(of: visit.id) == [photo])
    #expect(try store.photos(of: UUID()).isEmpty)
    #expect(try store.photo(photo.id)?.data == data)
    // Another photo under the same identifier.
    #expect(throws: LandmarksError.self) { try store.add(photo, data: SamplePhotos.png()) }
    try store.removePhoto(photo.id)
    try store.removePhoto(photo.id)
    #expect(try store.photos().isEmpty && store.photo(photo.id) == nil)
  }

  @Test("a caption is changed and taken away; others, and those of unknown photos, are refused")
  func captions() throws {
    let (store, visit) = try store()
    var photo = VisitPhoto(reservationID: visit.id, added: Fixtures.now, caption: "From below")
    try store.add(photo, data: SamplePhotos.png())
    for caption in [" From the bridge ", "", "é" + String(repeating: "a", count: 199)] {
      try store.setCaption(caption, ofPhoto: photo.id)
      photo.caption = caption.trimmingCharacters(in: .whitespaces)
      #expect(try store.photos() == [photo])
      #expect(try store.photo(photo.id)?.data == SamplePhotos.png())
    }
    for caption in ["a\nb", String(repeating: "a", count: 201)] {
      #expect(throws: LandmarksError.self) { try store.setCaption(caption, ofPhoto: photo.id) }
    }
    #expect(throws: LandmarksError.self) { try store.setCaption("a", ofPhoto: UUID()) }
    #expect(try store.photos() == [photo])
    let id = try #require(UUID(uuidString: "01890A5D-AC96-774B-BCCE-B302099A8057"))
    let key = try #require(EditKey(id))
    #expect(try store.make(.photoCaption(photo.id, "Once"), key: key, now: key.made))
    try store.setCaption("Later", ofPhoto: photo.id)
    #expect(try !store.make(.photoCaption(photo.id, "Once"), key: key, now: key.made))
    #expect(try store.photos().map(\.caption) == ["Later"])
  }

  @Test("files of other kinds, photos without a visit, and the 21st photo are refused")
  func refused() throws {
    let (store, visit) = try store()
    func add(_ data: Data, caption: String = "", to id: UUID) throws {
      try store.add(VisitPhoto(reservationID: id, caption: caption), data: data)
    }
    #expect(throws: LandmarksError.self) { try add(Data("<svg/>".utf8), to: visit.id) }
    #expect(throws: LandmarksError.self) {
      try add(SamplePhotos.png(), caption: "a\nb", to: visit.id)
    }
    #expect(throws: LandmarksError.self) { try add(SamplePhotos.png(), to: UUID()) }
    for _ in 0..<VisitPhoto.maximumCount { try add(SamplePhotos.png(), to: visit.id) }
    #expect(throws: LandmarksError.self) { try add(SamplePhotos.png(), to: visit.id) }
    #expect(try store.photos().count == VisitPhoto.maximumCount)
  }

  @Test("a removed visit's photos go with it, and an edit with a key is made once")
  func visits() throws {
    let (store, visit) = try store()
    let other = try store.reserve(1, on: Fixtures.noon + 86_400, now: Fixtures.now)
    let photo = VisitPhoto(reservationID: visit.id, added: Fixtures.now)
    let kept = VisitPhoto(reservationID: other.id, added: Fixtures.now)
    let id = try #require(UUID(uuidString: "01890A5D-AC96-774B-BCCE-B302099A8057"))
    let key = try #require(EditKey(id))
    let time = key.made
    #expect(try store.make(.photo(photo, SamplePhotos.png()), key: key, now: time))
    #expect(try !store.make(.photo(photo, SamplePhotos.png()), key: key, now: time))
    try store.make(.photo(kept, SamplePhotos.jpeg()), key: nil)
    #expect(try store.photos().count == 2)
    try store.make(.removal(visit.id), key: nil)
    #expect(try store.photos() == [kept])
    try store.make(.photoRemoval(kept.id), key: nil)
    #expect(try store.photos().isEmpty)
  }

  @Test("a store of the version without photos opens, and takes photos", arguments: [true, false])
  func formerStore(_ serverHasPhotos: Bool) async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.store")
    let visit = Reservation(landmarkID: 1, date: Fixtures.noon)
    let element =
      #"{"id":"\#(visit.id)","landmarkID":1,"date":"2030-06-01T12:00:00Z","status":"confirmed","#
      + #""note":"","revision":1}"#
    let former: [Answer] = [.json(200, #"{"favorites":[]}"#), .json(200, "[\(element)]")]
    do {
      let container = try ModelContainer(
        for: Schema([
          StoredLandmark.self, StoredReservation.self, StoredEdit.self, ChosenVisit.self,
        ]), configurations: [ModelConfiguration(url: file)])
      let context = ModelContext(container)
      context.insert(Fixtures.landmark(1).toStored())
      try context.save()
      try await withAnswers(former) { server in
        let engine = try SyncEngine(
          container,
          models: [
            SyncedModel(
              annotating: StoredLandmark.self, key: \.remoteID,
              properties: [.init(\.isFavorite, default: false)], policy: .clientWins),
            SyncedModel(
              StoredReservation.self, key: \.remoteID, policy: .custom(ReservationPolicy.decide),
              marks: [.hasEdits(\.isDirty), .lastAgreed(\.lastSynced)]),
          ],
          transport: RESTSyncTransport(
            try #require(URL(string: server.address)), resources: [.favorites, .reservations]))
        #expect(try await engine.sync().received == 1)
      }
    }
    let store = try LandmarkStore(file: file)
    #expect(try store.reservations().map(\.id) == [visit.id] && store.photos().isEmpty)
    #expect(try await store.waiting().isEmpty)
    let photos = serverHasPhotos ? Answer.json(200, "[]") : .json(404, "{}")
    try await withAnswers(former + [photos]) { server in
      let sync = try LandmarkSync(
        store, server: try #require(URL(string: server.address)), token: { nil })
      let report = try await sync.exchange()
      #expect(report.sent == 0 && report.conflicts == 0)
    }
    let photo = VisitPhoto(reservationID: visit.id)
    try store.add(photo, data: SamplePhotos.png())
    #expect(
      try await store.waiting().map(\.subject) == [.photo(photo.id, reservationID: visit.id)])
  }
}
