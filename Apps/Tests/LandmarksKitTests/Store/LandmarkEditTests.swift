import Foundation
import SwiftData
import Testing

@testable import LandmarksKit
@testable import TestSupport

@Suite("Edits with keys")
struct LandmarkEditTests {
  private let landmarks = [Fixtures.landmark(1), Fixtures.landmark(2, "Lake Tahoe")]

  /// A key with the time of an edit, as the page makes it.
  private func key(_ number: UInt8 = 0, made: Date = Fixtures.now) throws -> EditKey {
    let milliseconds = UInt64(made.timeIntervalSince1970 * 1_000)
    let time = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (8 * (5 - $0))) }
    let id = UUID(
      uuid: (
        time[0], time[1], time[2], time[3], time[4], time[5], 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0,
        number
      ))
    return try #require(EditKey(id))
  }

  private func isFavorite(_ store: LandmarkStore) throws -> Bool? {
    try store.landmark(1)?.isFavorite
  }

  @Test("a repeated delivery changes nothing, whatever was edited in between")
  func repeated() throws {
    let store = try Fixtures.store(landmarks)
    let (first, second) = (try key(1), try key(2))
    let now = Fixtures.now
    #expect(try store.make(.favorite(landmarkID: 1, true), key: first, now: now))
    #expect(try store.make(.favorite(landmarkID: 1, false), key: second, now: now))
    #expect(try !store.make(.favorite(landmarkID: 1, true), key: first, now: now))
    #expect(try isFavorite(store) == false)
    // Without a key it is another edit.
    #expect(try store.make(.favorite(landmarkID: 1, true), key: nil, now: now))
    #expect(try isFavorite(store) == true)
  }

  @Test("every kind of edit is made once")
  func kinds() throws {
    let store = try Fixtures.store(landmarks)
    let id = UUID()
    let later = Fixtures.noon.addingTimeInterval(3_600)
    let edits: [LandmarkEdit] = [
      .reservation(id, landmarkID: 1, date: Fixtures.noon), .move(id, date: later),
      .cancellation(id), .removal(id),
    ]
    for (number, edit) in edits.enumerated() {
      #expect(try store.make(edit, key: key(UInt8(number)), now: Fixtures.now))
      let after = try store.reservations()
      for earlier in 0...number {
        #expect(
          try !store.make(edits[earlier], key: key(UInt8(earlier)), now: Fixtures.now))
      }
      #expect(try store.reservations() == after)
    }
    #expect(try store.reservations().isEmpty)
  }

  @Test("a refused edit leaves nothing and may be repeated")
  func refused() throws {
    let store = try Fixtures.store(landmarks)
    let key = try key()
    for edit: LandmarkEdit in [
      .favorite(landmarkID: 7, true), .move(UUID(), date: Fixtures.noon), .cancellation(UUID()),
      .reservation(UUID(), landmarkID: 1, date: Fixtures.now.addingTimeInterval(-60)),
      .reservation(UUID(), landmarkID: 7, date: Fixtures.noon),
    ] {
      do {
        try store.make(edit, key: key, now: Fixtures.now)
        Issue.record("\(edit) was made")
      } catch let error as LandmarksError {
        #expect(error.code == .notFound || error.code == .invalidArgument)
      }
      #expect(try !store.isMade(key, now: Fixtures.now))
    }
    try Fixtures.fill(store, [Fixtures.landmark(7)])
    #expect(try store.make(.favorite(landmarkID: 7, true), key: key, now: Fixtures.now))
  }

  @Test("keys are UUIDs of version 7, whose time is the edit's")
  func versions() throws {
    #expect(EditKey(UUID()) == nil)
    #expect(try key().made == Fixtures.now)
  }

  @Test("an edit of a browser whose clock is years slow is made, once; an old one of it isn't")
  func slowClock() throws {
    let store = try Fixtures.store(landmarks)
    let now = Fixtures.now
    let slow = now.addingTimeInterval(-3 * EditKey.lifetime)
    let young = try #require(EditKey(key(1, made: slow).id, age: 5))
    #expect(try store.make(.favorite(landmarkID: 1, true), key: young, now: now))
    #expect(try !store.make(.favorite(landmarkID: 1, true), key: young, now: now))
    #expect(try isFavorite(store) == true)
    for age in [nil, EditKey.lifetime + 1] {
      let old = try #require(EditKey(key(2, made: slow).id, age: age))
      #expect(throws: LandmarksError.self) {
        try store.make(.favorite(landmarkID: 1, false), key: old, now: now)
      }
    }
    // A fast clock makes no edit old.
    let fast = try key(3, made: now.addingTimeInterval(3 * EditKey.lifetime))
    #expect(try store.make(.favorite(landmarkID: 1, false), key: fast, now: now))
  }

  @Test("a year later the key is forgotten, and the edit is refused")
  func old() throws {
    let store = try Fixtures.store(landmarks)
    let key = try key()
    try store.make(.favorite(landmarkID: 1, true), key: key, now: Fixtures.now)
    let later = Fixtures.now.addingTimeInterval(EditKey.lifetime + 1)
    try store.forgetOldEdits(now: later)
    #expect(try !store.make(.favorite(landmarkID: 1, true), key: key, now: later))
    let muchLater = later.addingTimeInterval(2 * 86_400)
    try store.forgetOldEdits(now: muchLater)
    #expect(throws: LandmarksError.self) {
      try store.make(.favorite(landmarkID: 1, true), key: key, now: muchLater)
    }
    let other = try self.key(1, made: muchLater)
    #expect(try store.make(.favorite(landmarkID: 1, false), key: other, now: muchLater))
  }

  @Test("keys outlive the program, and the exchange doesn't send them")
  func stored() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.store")
    let key = try key()
    let identifier: String?
    do {
      let store = try LandmarkStore(file: file)
      #expect(try store.identifier() == nil)
      try Fixtures.fill(store, landmarks)
      identifier = try store.identifier()
      try store.make(.favorite(landmarkID: 1, true), key: key, now: Fixtures.now)
      try store.remember(self.key(1), now: Fixtures.now)
    }
    let store = try LandmarkStore(file: file)
    #expect(try !store.make(.favorite(landmarkID: 1, false), key: key, now: Fixtures.now))
    #expect(try isFavorite(store) == true)
    #expect(try store.isMade(self.key(1), now: Fixtures.now))
    #expect(
      try await store.waiting().map(\.subject) == [.favorite(landmarkID: 1, isFavorite: true)])
    let again = try store.identifier()
    #expect(identifier != nil && identifier == again)
    #expect(try Fixtures.store(landmarks).identifier() != identifier)
  }

  @Test("a store from before the keys opens")
  func earlierStore() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.store")
    do {
      let container = try ModelContainer(
        for: Schema([StoredLandmark.self, StoredReservation.self]),
        configurations: [ModelConfiguration(url: file)])
      let context = ModelContext(container)
      context.insert(Fixtures.landmark(1, isFavorite: true).toStored())
      try context.save()
    }
    let store = try LandmarkStore(file: file)
    #expect(try isFavorite(store) == true)
    #expect(try store.make(.favorite(landmarkID: 1, false), key: key(), now: Fixtures.now))
    #expect(try isFavorite(store) == false)
  }
}
