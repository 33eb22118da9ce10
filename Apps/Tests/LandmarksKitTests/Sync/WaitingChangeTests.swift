import Foundation
import SwiftData
import Testing

@testable import LandmarksKit
@testable import ProgramTesting
@testable import TestSupport

@Suite("Changes that wait for the server")
struct WaitingChangeTests {
  private let landmarks = [Fixtures.landmark(1), Fixtures.landmark(2, "Lake Tahoe")]

  @Test("many edits of one object are one change, an insertion and its removal none")
  func collapsed() async throws {
    let store = try Fixtures.store(landmarks)
    #expect(try await store.waiting().isEmpty)
    try store.setFavorite(1, true)
    try store.setFavorite(1, false)
    try store.setFavorite(1, true)
    let made = try store.reserve(2, on: Fixtures.noon, now: Fixtures.now)
    try store.change(made.id, to: Fixtures.noon.addingTimeInterval(3_600), now: Fixtures.now)
    let later = Fixtures.noon.addingTimeInterval(7_200)
    let brief = try store.reserve(2, on: later, now: Fixtures.now)
    try store.remove(brief.id)
    #expect(
      try await store.waiting().map(\.subject) == [
        .favorite(landmarkID: 1, isFavorite: true), .reservation(made.id, landmarkID: 2),
      ])
  }

  @Test("a reservation shows whether the server has its present values")
  func marks() async throws {
    let store = try Fixtures.store(landmarks)
    let made = try store.reserve(1, on: Fixtures.noon, now: Fixtures.now)
    let answer = try Self.answer(made, revision: 4)
    try await withAnswers(
      [
        .json(201, answer), .json(200, #"{"favorites":[]}"#), .json(200, "[\(answer)]"),
        .json(200, "[]"),
      ]
    ) { server in
      let report = try await Self.sync(store, server.address).exchange()
      #expect(report.sent == 1)
      #expect(server.requests.first?.contains("if-none-match: *") == true)
    }
    let stored = try #require(
      try ModelContext(store.container).fetch(FetchDescriptor<StoredReservation>()).first)
    #expect(!stored.isDirty)
    #expect(try await store.waiting().isEmpty)
    try store.cancel(made.id)
    #expect(try store.reservations().count == 1)
    #expect(
      try await store.waiting().map(\.subject) == [.reservation(made.id, landmarkID: 1)])
    let cancelled = try Self.answer(#require(try store.reservations().first), revision: 5)
    try await withAnswers(
      [
        .json(200, cancelled), .json(200, #"{"favorites":[]}"#), .json(200, "[\(cancelled)]"),
        .json(200, "[]"),
      ]
    ) { server in
      _ = try await Self.sync(store, server.address).exchange()
      #expect(server.requests.first?.contains("if-match: \"4\"") == true)
    }
    try store.remove(made.id)
    #expect(try await store.waiting().map(\.subject) == [.removal(made.id)])
  }

  @Test("the server's changes never overwrite a waiting favorite; a refused one has its reason")
  func favoriteWaits() async throws {
    let store = try Fixtures.store(landmarks)
    try store.setFavorite(1, true)
    let reason = #"{"error":{"code":"not_found","message":"There is no such \u001b[31mlandmark."}}"#
    try await withAnswers(
      [
        .json(404, reason), .json(200, #"{"favorites":[2]}"#), .json(200, "[]"),
        .json(200, "[]"),
      ]
    ) { server in
      let report = try await Self.sync(store, server.address).exchange()
      #expect(report.quarantined == 1 && report.received == 1)
    }
    #expect(try store.landmarks().filter(\.isFavorite).map(\.id) == [1, 2])
    let waiting = try await store.waiting()
    #expect(waiting.map(\.subject) == [.favorite(landmarkID: 1, isFavorite: true)])
    #expect(waiting.map(\.reason) == [.refused("There is no such \u{fffd}[31mlandmark.")])
    let notice = try #require(waiting.compactMap { SyncNotice($0) }.first)
    #expect(notice.kind == .refused && notice.landmarkID == 1 && notice.reservationID == nil)
    // After the change is reverted, nothing waits.
    try store.setFavorite(1, false)
    #expect(try await store.waiting().isEmpty)
  }

  @Test(
    "the dates of a refusal are kept over a restart, as far as they are dates, ten at most",
    arguments: [
      (#"["2030-06-02T12:00:00Z","2030-06-03T14:00:00+02:00"]"#, [1, 2]),
      (#"["2030-06-02T12:00:00Z",7,null,"soon","2030-02-30T12:00:00Z",["2030-06-03"]]"#, [1]),
      (
        "[" + String(repeating: #""2030-06-02T12:00:00Z","#, count: 999) + "0]",
        Array(repeating: 1, count: 10)
      ),
      (#"{"2030-06-02T12:00:00Z":1}"#, []), (#""2030-06-02T12:00:00Z""#, []), ("null", []),
      ("[]", []),
    ] as [(String, [Int])])
  func choices(_ sent: String, _ days: [Int]) async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.store")
    let refusal = #"{"error":{"code":"full","message":"No place.","choices":\#(sent)}}"#
    do {
      let store = try LandmarkStore(file: file)
      try Fixtures.fill(store, landmarks)
      try store.reserve(1, on: Fixtures.noon, now: Fixtures.now)
      // A mark has no dates.
      try store.setFavorite(2, true)
      try await withAnswers(
        [
          .json(422, refusal), .json(422, refusal), .json(200, #"{"favorites":[]}"#),
          .json(200, "[]"), .json(200, "[]"),
        ]
      ) { server in
        let report = try await Self.sync(store, server.address).exchange()
        #expect(report.quarantined == 2)
      }
    }
    let waiting = try await LandmarkStore(file: file).waiting()
    #expect(waiting.map(\.reason) == [.refused("No place."), .refused("No place.")])
    let expected = days.map { Fixtures.noon.addingTimeInterval(Double($0) * 86_400) }
    for change in waiting {
      if case .reservation = change.subject {
        #expect(change.choices == expected)
        #expect(SyncNotice(change)?.choices == expected)
      } else {
        #expect(change.choices.isEmpty)
      }
    }
  }

  @Test("edits and waiting changes survive a restart")
  func restart() async throws {
    let folder = try TemporaryFolder()
    // The store creates the folder of its file.
    let file = folder.file("inner/a.store")
    var made: Reservation?
    do {
      let store = try LandmarkStore(file: file)
      try Fixtures.fill(store, landmarks)
      try store.setFavorite(2, true)
      made = try store.reserve(1, on: Fixtures.noon, now: Fixtures.now)
    }
    let store = try LandmarkStore(file: file)
    let reservation = try #require(made)
    #expect(try store.landmarks(LandmarkQuery(favoritesOnly: true)).map(\.id) == [2])
    #expect(try store.reservations() == [reservation])
    #expect(try await store.waiting().count == 2)
  }

  @Test(
    "dates are checked, unknown landmarks and reservations refused, and nothing is kept of them")
  func refusals() async throws {
    let store = try Fixtures.store(landmarks)
    for date in [Fixtures.now.addingTimeInterval(-60), Fixtures.now.addingTimeInterval(1e9)] {
      let error = #expect(throws: LandmarksError.self) {
        try store.reserve(1, on: date, now: Fixtures.now)
      }
      #expect(error?.code == .invalidArgument)
    }
    let unknown = #expect(throws: LandmarksError.self) {
      try store.reserve(9, on: Fixtures.noon, now: Fixtures.now)
    }
    #expect(unknown?.code == .notFound)
    #expect(throws: LandmarksError.self) { try store.cancel(UUID()) }
    #expect(throws: LandmarksError.self) { try store.setFavorite(9, true) }
    #expect(try await store.waiting().isEmpty)
    #expect(try store.reservations().isEmpty)
  }

  @Test(
    "a repeated request to reserve makes one reservation; another under its identifier is refused")
  func repeated() throws {
    let store = try Fixtures.store(landmarks)
    let id = UUID()
    let first = try store.reserve(1, on: Fixtures.noon, id: id, now: Fixtures.now)
    #expect(try store.reserve(1, on: Fixtures.noon, id: id, now: Fixtures.now) == first)
    #expect(try store.reservations().count == 1)
    #expect(throws: LandmarksError.self) {
      try store.reserve(2, on: Fixtures.noon, id: id, now: Fixtures.now)
    }
  }

  @Test("a landmark has one visit at a time; a cancelled one leaves its time free")
  func booked() throws {
    let store = try Fixtures.store(landmarks)
    let first = try store.reserve(1, on: Fixtures.noon, now: Fixtures.now)
    let same = #expect(throws: LandmarksError.self) {
      try store.reserve(1, on: Fixtures.noon.addingTimeInterval(20), now: Fixtures.now)
    }
    #expect(same?.code == .invalidArgument)
    try store.reserve(2, on: Fixtures.noon, now: Fixtures.now)
    let later = Fixtures.noon.addingTimeInterval(3_600)
    let second = try store.reserve(1, on: later, now: Fixtures.now)
    #expect(throws: LandmarksError.self) {
      try store.change(second.id, to: Fixtures.noon, now: Fixtures.now)
    }
    #expect(try store.change(second.id, to: later, now: Fixtures.now) == second)
    try store.cancel(first.id)
    #expect(try store.change(second.id, to: Fixtures.noon, now: Fixtures.now).date == first.date)
    // The cancelled one can't be booked again at that time.
    #expect(throws: LandmarksError.self) {
      try store.change(first.id, to: first.date, now: Fixtures.now)
    }
    #expect(try store.reservations().count == 3)
  }

  @Test("a query filters by category, state, text and mark, ignoring case and accents")
  func query() throws {
    var lake = Fixtures.landmark(3, "Lac Étoile")
    lake.category = .lakes
    lake.state = "Maine"
    let store = try Fixtures.store(landmarks + [lake])
    try store.setFavorite(3, true)
    func ids(_ query: LandmarkQuery) throws -> [Int] {
      try store.landmarks(query).map(\.id).sorted()
    }
    #expect(try ids(LandmarkQuery(category: .lakes)) == [3])
    #expect(try ids(LandmarkQuery(state: "California")) == [1, 2])
    #expect(try ids(LandmarkQuery(text: "etoile")) == [3])
    #expect(try ids(LandmarkQuery(text: "YOSEMITE")).count == 3)
    #expect(try ids(LandmarkQuery(category: .lakes, favoritesOnly: true)) == [3])
    #expect(try ids(LandmarkQuery(category: .caves)).isEmpty)
  }

  private static func answer(_ reservation: Reservation, revision: Int) throws -> String {
    let answer = ReservationAnswer(
      id: reservation.id, landmarkID: reservation.landmarkID, date: reservation.date,
      status: reservation.status.rawValue, note: reservation.note, revision: revision)
    return String(decoding: try JSONEncoder.landmarks.encode(answer), as: UTF8.self)
  }

  private static func sync(_ store: LandmarkStore, _ address: String) throws -> LandmarkSync {
    try LandmarkSync(store, server: try #require(URL(string: address)), token: { nil })
  }
}
