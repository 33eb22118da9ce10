import Foundation
import SwiftData
import Testing

@testable import LandmarksKit

@Suite("What waits for the server")
struct PendingChangeTests {
  private let landmarks = [Fixtures.landmark(1), Fixtures.landmark(2, "Lake Tahoe")]

  @Test("many edits of one object are one change, an insertion and its removal none")
  func collapsed() throws {
    let store = try Fixtures.store(landmarks)
    #expect(try store.pendingChanges().isEmpty)
    try store.setFavorite(1, true)
    try store.setFavorite(1, false)
    try store.setFavorite(1, true)
    let made = try store.reserve(2, on: Fixtures.noon, now: Fixtures.now)
    let moved = try store.change(
      made.id, to: Fixtures.noon.addingTimeInterval(3_600), now: Fixtures.now)
    let brief = try store.reserve(2, on: Fixtures.noon, now: Fixtures.now)
    try store.remove(brief.id)
    #expect(
      try store.pendingChanges() == [
        .favorite(landmarkID: 1, isFavorite: true), .reservation(moved, revision: nil),
      ])
  }

  @Test("an edit made while the change before it is on its way stays pending")
  func editMeanwhile() throws {
    let store = try Fixtures.store(landmarks)
    let made = try store.reserve(1, on: Fixtures.noon, now: Fixtures.now)
    let later = try store.change(
      made.id, to: Fixtures.noon.addingTimeInterval(3_600), now: Fixtures.now)
    try store.noteReservation(made.id, Self.answer(made, revision: 4), now: Fixtures.now)
    #expect(try store.pendingChanges() == [.reservation(later, revision: 4)])
    try store.noteReservation(made.id, Self.answer(later, revision: 5), now: Fixtures.now)
    #expect(try store.pendingChanges().isEmpty)
    let rows = try ModelContext(store.container).fetch(FetchDescriptor<StoredReservation>())
    #expect(rows.map(\.isDirty) == [false])
  }

  @Test("a removed reservation that the server has waits for its removal there")
  func removal() throws {
    let store = try Fixtures.store(landmarks)
    let made = try store.reserve(1, on: Fixtures.noon, now: Fixtures.now)
    try store.noteReservation(made.id, Self.answer(made, revision: 4), now: Fixtures.now)
    try store.remove(made.id)
    #expect(try store.pendingChanges() == [.removal(made.id, revision: 4)])
    try store.noteReservation(made.id, nil, now: Fixtures.now)
    #expect(try store.pendingChanges().isEmpty)
  }

  @Test("what arrives never overwrites a favourite that waits")
  func favoriteWaits() throws {
    let store = try Fixtures.store(landmarks)
    try store.setFavorite(1, true)
    let result = try store.merge(favorites: [2], reservations: [], now: Fixtures.now)
    #expect(result.changed == 1)
    #expect(try store.landmarks().filter(\.isFavorite).map(\.id) == [1, 2])
    #expect(try store.pendingChanges() == [.favorite(landmarkID: 1, isFavorite: true)])
    try store.noteFavorite(1, onServer: true)
    // Taken away on another device.
    _ = try store.merge(favorites: [2], reservations: [], now: Fixtures.now)
    #expect(try store.landmarks().filter(\.isFavorite).map(\.id) == [2])
  }

  @Test("edits and what waits survive the end of the program")
  func restart() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("landmarks-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("a.store")
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
    #expect(try store.pendingChanges().count == 2)
  }

  @Test(
    "dates are checked, unknown landmarks and reservations refused, and nothing is kept of them")
  func refusals() throws {
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
    #expect(try store.pendingChanges().isEmpty && store.reservations().isEmpty)
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

  @Test("a query narrows by category, state, text and mark, whatever case and accents")
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

  static func answer(_ reservation: Reservation, revision: Int) -> ReservationAnswer {
    ReservationAnswer(
      id: reservation.id, landmarkID: reservation.landmarkID, date: reservation.date,
      status: reservation.status.rawValue, revision: revision)
  }
}
