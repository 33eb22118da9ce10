import Foundation
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import Testing

@testable import LandmarksKit
@testable import ProgramTesting
@testable import TestSupport

/// The models of the version without notes, under the same names.
private enum Before {
  @Model
  final class StoredReservation {
    @Attribute(.unique) var remoteID: UUID
    @Attribute(.preserveValueOnDeletion) var landmarkID: Int
    var date: Date
    @Attribute(.preserveValueOnDeletion) var status: String
    var isDirty: Bool
    var lastSynced: Date

    init(_ visit: Reservation) {
      remoteID = visit.id
      landmarkID = visit.landmarkID
      date = visit.date
      status = visit.status.rawValue
      isDirty = true
      lastSynced = .now
    }
  }
}

extension Before {
  @Model
  final class ChosenVisit {
    @Attribute(.unique) var remoteID: UUID
    var landmarkID: Int
    var date: Date
    var status: String
    var made: Date

    init(_ visit: Reservation) {
      remoteID = visit.id
      landmarkID = visit.landmarkID
      date = visit.date
      status = visit.status.rawValue
      made = .now
    }
  }
}

@Suite("Stores of the version without notes")
struct FormerStoreTests {
  private let known = UUID()
  private let unsent = Reservation(landmarkID: 1, date: Fixtures.noon + 86_400)

  /// The answer of a server without photos.
  private let noPhotos = Answer.json(404, "{}")

  /// The server's answer about a visit; servers of that version send no note.
  private func element(_ id: UUID, _ date: String, note: String?, revision: Int) -> String {
    let note = note.map { #","note":"\#($0)""# } ?? ""
    return #"{"id":"\#(id)","landmarkID":1,"date":"\#(date)","status":"confirmed"\#(note),"#
      + #""revision":\#(revision)}"#
  }

  /// Makes a store with a visit that the server has, and one that waits.
  private func makeStore(_ file: URL) async throws {
    let container = try ModelContainer(
      for: Schema([
        StoredLandmark.self, Before.StoredReservation.self, StoredEdit.self,
        Before.ChosenVisit.self,
      ]), configurations: [ModelConfiguration(url: file)])
    let context = ModelContext(container)
    context.insert(Fixtures.landmark(1).toStored())
    try context.save()
    let list = element(known, "2030-06-01T12:00:00Z", note: nil, revision: 1)
    let answers: [Answer] = [.json(200, #"{"favorites":[]}"#), .json(200, "[\(list)]")]
    try await withAnswers(answers) { server in
      let transport = RESTSyncTransport(
        try #require(URL(string: server.address)), resources: [.favorites, .reservations],
        token: { nil })
      let engine = try SyncEngine(
        container,
        models: [
          SyncedModel(
            annotating: StoredLandmark.self, key: \.remoteID,
            properties: [.init(\.isFavorite, default: false)], policy: .clientWins),
          SyncedModel(
            Before.StoredReservation.self, key: \.remoteID,
            policy: .custom(ReservationPolicy.decide),
            marks: [.hasEdits(\.isDirty), .lastAgreed(\.lastSynced)]),
        ], transport: transport)
      #expect(try await engine.sync().received == 1)
    }
    context.insert(Before.StoredReservation(unsent))
    context.insert(Before.ChosenVisit(unsent))
    try context.save()
  }

  @Test(
    "a store opens with its visits and what waits, and nothing more is sent",
    arguments: [true, false])
  func opens(_ serverHasNotes: Bool) async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.store")
    try await makeStore(file)
    let store = try LandmarkStore(file: file)
    #expect(try store.reservations().map(\.id) == [known, unsent.id])
    #expect(try store.reservations().allSatisfy { $0.note.isEmpty })
    #expect(try store.changesElsewhere(now: Fixtures.now).isEmpty)
    #expect(try await store.waiting().map(\.subject) == [.reservation(unsent.id, landmarkID: 1)])

    let note = serverHasNotes ? "" : nil
    let sent = element(unsent.id, "2030-06-02T12:00:00Z", note: note, revision: 2)
    let present = element(known, "2030-06-01T12:00:00Z", note: note, revision: 1)
    // The notes that the former version didn't know are fetched before anything is sent.
    try await withAnswers([
      .json(200, #"{"favorites":[]}"#), .json(200, "[\(present)]"), noPhotos, .json(201, sent),
    ]) { server in
      let sync = try LandmarkSync(
        store, server: try #require(URL(string: server.address)), token: { nil })
      let report = try await sync.exchange()
      #expect(report.sent == 1 && report.conflicts == 0)
      #expect(try await sync.waiting().isEmpty)
      #expect(server.requests.map { $0.prefix(4) } == ["GET ", "GET ", "GET ", "PUT "])
    }
  }

  @Test("a first note is merged with one from another device, and kept with an earlier server")
  func firstNote() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.store")
    try await makeStore(file)
    let store = try LandmarkStore(file: file)
    try store.remove(unsent.id)
    try store.setNote(known, "Water")
    let date = "2030-06-01T12:00:00Z"
    let theirs = element(known, date, note: "Tickets", revision: 2)
    let merged = element(known, date, note: "Tickets\\nWater", revision: 3)
    let old = element(known, date, note: nil, revision: 4)
    try await withAnswers([
      .json(200, #"{"favorites":[]}"#), .json(200, "[\(theirs)]"), noPhotos, .json(200, merged),
      .json(200, #"{"favorites":[]}"#), .json(200, "[\(old)]"), noPhotos,
    ]) { server in
      let sync = try LandmarkSync(
        store, server: try #require(URL(string: server.address)), token: { nil })
      _ = try await sync.exchange()
      #expect(server.requests.count == 4)
      #expect(server.requests[3].contains(#""note":"Tickets\u000aWater""#))
      #expect(try store.reservation(known)?.note == "Tickets\nWater")
      _ = try await sync.exchange()
      #expect(try store.reservation(known)?.note == "Tickets\nWater")
      #expect(try await sync.waiting().isEmpty)
    }
  }
}
