import Foundation
import LandmarksKit
import LocalApp
import SwiftData
import Testing

@testable import landmarks
@testable import ProgramTesting
@testable import TestSupport

/// The server's model of the version without notes, under the same name.
private enum Before {
  @Model
  final class ServedReservation {
    #Unique<ServedReservation>([\.user, \.number])
    #Index<ServedReservation>([\.landmarkID, \.date])
    var user: String
    var number: UUID
    var landmarkID: Int
    var date: Date
    var status: String
    var revision: Int

    init(user: String, number: UUID, date: Date) {
      self.user = user
      self.number = number
      landmarkID = 1002
      self.date = date
      status = "confirmed"
      revision = 1
    }
  }
}

@Suite("Notes at the server", .timeLimit(.minutes(20)))
struct ServedNoteTests {
  private let path = "/reservations/6F9619FF-8B86-D011-B42D-00CF4FC964FF"

  private func body(_ note: String?, day: Int = 1) -> String {
    #"{"landmarkID":1002,"date":"2030-06-0\#(day)T12:00:00Z","status":"confirmed""#
      + (note.map { #","note":\#($0)"# } ?? "") + "}"
  }

  @Test("a note is kept and changed on condition; a request without one leaves it as it is")
  func kept() async throws {
    try await withServer { client async throws in
      func put(_ body: String, _ revision: Int) async throws -> WireResponse {
        try await client.request(
          "PUT", path, by: alice, [("If-Match", "\"\(revision)\"")], body: body)
      }
      let made = try await client.request("PUT", path, by: alice, body: body(#""Water\nTent""#))
      #expect(try made.status == 201 && made.text.contains(#""note":"Water\nTent""#))
      let earlier = try await put(body(nil, day: 2), 1)
      #expect(try earlier.status == 200 && earlier.text.contains(#""note":"Water\nTent""#))
      #expect(earlier["ETag"] == "\"2\"")
      let same = try await put(body(nil, day: 2), 2)
      #expect(same.status == 200 && same["ETag"] == "\"2\"")
      #expect(try await put(body(#""Food""#, day: 2), 1).status == 412)
      let other = try await put(body(#""""#, day: 2), 2)
      #expect(try other.status == 200 && other.text.contains(#""note":"""#))
      #expect(try await client.request("GET", path, by: bob).status == 404)
    }
  }

  @Test("notes that are too long, have control characters or another type are refused")
  func refused() async throws {
    try await withServer { client async throws in
      func status(_ note: String) async throws -> Int {
        try await client.request("PUT", path, by: alice, body: body(note)).status
      }
      let longest = String(repeating: "\u{FFFD}", count: VisitNote.maximumMergedLength)
      let long = try await client.request(
        "PUT", path, by: alice, body: body("\"\(longest)a\""))
      #expect(try long.status == 422 && long.text.contains("note_too_long"))
      #expect(try long.text.contains(#""parameter":"note""#))
      for control in [#""a\r\nb""#, #""\u0000""#, #""\u001b[31m""#, #""\u009b""#] {
        #expect(try await status(control) == 422, "\(control)")
      }
      for wrong in ["1", "[]", "{}", "true"] { #expect(try await status(wrong) == 400) }
      #expect(try await client.request("GET", path, by: alice).status == 404)
      #expect(try await status("\"\(longest)\"") == 201)
    }
  }

  @Test("rules that came later don't hold up a note")
  func rules() async throws {
    let folder = try TemporaryFolder()
    let landmarks = try LandmarkCatalogue.load()
    let number = UUID()
    // A Saturday.
    let date = try #require(InternetDate.parse("2030-06-01T18:00:00Z"))
    let free = try ServedStore(file: folder.file("a.store"), landmarks: landmarks)
    _ = try await free.put(
      number, ReservationBody(landmarkID: 1002, date: date, status: "confirmed"), of: "a", .none)
    let closed = try ServedStore(
      file: folder.file("a.store"), landmarks: landmarks, rules: VisitRules(closedWeekdays: [7]))
    let noted = ReservationBody(landmarkID: 1002, date: date, status: "confirmed", note: "Water")
    #expect(try await closed.put(number, noted, of: "a", .present).answer.note == "Water")
    let moved = ReservationBody(landmarkID: 1002, date: date + 60, status: "confirmed")
    await #expect(throws: APIFailure.self) {
      try await closed.put(number, moved, of: "a", .present)
    }
  }

  @Test("a device keeps a note that it had before the server kept notes")
  func earlierServer() async throws {
    let folder = try TemporaryFolder()
    let visit = Reservation(landmarkID: 1002, date: Date().addingTimeInterval(86_400))
    let device = try LandmarkStore(file: nil)
    let context = ModelContext(device.container)
    for landmark in try LandmarkCatalogue.load() { context.insert(landmark.toStored()) }
    try context.save()
    // The answers of a server without notes.
    let answer = String(
      decoding: try JSONEncoder.landmarks.encode(
        ReservationAnswer(
          id: visit.id, landmarkID: 1002, date: visit.date, status: "confirmed", revision: 1)),
      as: UTF8.self)
    try await withAnswers([
      .json(201, answer), .json(200, #"{"favorites":[]}"#), .json(200, "[\(answer)]"),
      .json(404, "{}"),
    ]) { server in
      try device.reserve(1002, on: visit.date, note: "Water", id: visit.id)
      let sync = try LandmarkSync(
        device, server: try #require(URL(string: server.address)), token: { nil })
      #expect(try await sync.exchange().sent == 1)
    }
    let store = try ServedStore(file: folder.file("a.store"), landmarks: LandmarkCatalogue.load())
    let body = ReservationBody(landmarkID: 1002, date: visit.date, status: "confirmed")
    _ = try await store.put(visit.id, body, of: "alice", .none)
    try await withServer(store: store) { client async throws in
      let sync = try LandmarkSync(
        device, server: try #require(URL(string: client.address)), token: { alice })
      _ = try await sync.exchange()
      #expect(try device.reservation(visit.id)?.note == "Water")
      // It is sent with the next change.
      try device.change(visit.id, to: visit.date.addingTimeInterval(60))
      _ = try await sync.exchange()
      #expect(try await store.reservation(visit.id, of: "alice").note == "Water")
    }
  }

  @Test("a store of the version without notes opens with its reservations")
  func formerStore() async throws {
    let folder = try TemporaryFolder()
    let number = UUID()
    do {
      let container = try ModelContainer(
        for: Schema([
          ServedLandmark.self, ServedFavorite.self, Before.ServedReservation.self,
          ServedCounter.self,
        ]), configurations: [ModelConfiguration(url: folder.file("a.store"))])
      let context = ModelContext(container)
      context.insert(Before.ServedReservation(user: "a", number: number, date: .now))
      context.insert(ServedCounter(name: "revision", value: 1))
      try context.save()
    }
    let store = try ServedStore(
      file: folder.file("a.store"), landmarks: LandmarkCatalogue.load(), beginning: { $0 + 1 })
    let before = try await store.reservation(number, of: "a")
    #expect(before.note == nil && before.revision == 1)
    var body = ReservationBody(landmarkID: 1002, date: before.date, status: "confirmed")
    #expect(try await store.put(number, body, of: "a", .revisions([1])).answer == before)
    body.note = "Water"
    let (answer, isNew) = try await store.put(number, body, of: "a", .revisions([1]))
    #expect(answer.note == "Water" && answer.revision == 2 && !isNew)
  }
}
