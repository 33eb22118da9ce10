import Foundation
import SwiftData
import Testing

@testable import LandmarksKit

@Suite("Notes on visits")
struct NoteEditTests {
  private let store: LandmarkStore
  private let visit: Reservation

  init() throws {
    store = try Fixtures.store([Fixtures.landmark(1)])
    visit = try store.reserve(1, on: Fixtures.noon, note: " Bring water\r\n", now: Fixtures.now)
  }

  private var note: String? { get throws { try store.reservation(visit.id)?.note } }

  @Test("a visit is made with a note, which can be changed and taken away")
  func change() throws {
    #expect(visit.note == "Bring water")
    #expect(try store.setNote(visit.id, "Bring water\nTickets").note == "Bring water\nTickets")
    #expect(try note == "Bring water\nTickets")
    try store.setNote(visit.id, "")
    #expect(try note == "")
    #expect(try store.reserve(1, on: Fixtures.noon + 60, now: Fixtures.now).note == "")
    let error = #expect(throws: LandmarksError.self) { try store.setNote(UUID(), "a") }
    #expect(error?.code == .notFound)
  }

  @Test("an edit begins anew when the exchange with the server stores another one before its end")
  func overtaken() throws {
    var attempts = 0
    try store.editing { context in
      attempts += 1
      try LandmarkStore.setNote(visit.id, "Camera\nBring water", base: "Bring water", context)
      if attempts == 1 { try store.setNote(visit.id, "Bring water\nTickets") }
    }
    #expect(attempts == 2)
    #expect(try note == "Camera\nBring water\nTickets")
    // A visit that is gone meanwhile isn't made again.
    var isFirst = true
    let error = #expect(throws: LandmarksError.self) {
      try store.editing { context in
        try LandmarkStore.setNote(visit.id, "Tent", base: nil, context)
        if isFirst { try store.remove(visit.id) }
        isFirst = false
      }
    }
    #expect(error?.code == .notFound)
    #expect(try store.reservation(visit.id) == nil)
  }

  @Test("an edit of a note that was changed since is merged with the change")
  func merged() throws {
    try store.setNote(visit.id, "Bring water\nTickets")
    try store.setNote(visit.id, "Camera\nBring water", base: "Bring water")
    #expect(try note == "Camera\nBring water\nTickets")
    // The base is compared as notes are kept.
    try store.setNote(visit.id, "Tent", base: " Camera\r\nBring water\r\nTickets ")
    #expect(try note == "Tent")
    // Without a base, the note is replaced.
    try store.setNote(visit.id, "Food")
    #expect(try note == "Food")
  }

  @Test("a note that is too long is refused, and a merged one may be shortened")
  func tooLong() throws {
    let long = String(repeating: "a ", count: VisitNote.maximumLength)
    for edit: (LandmarkStore) throws -> Void in [
      { try $0.setNote(visit.id, long) },
      { try $0.setNote(visit.id, long, base: "Bring water") },
      { try $0.reserve(1, on: Fixtures.noon + 60, note: long, now: Fixtures.now) },
    ] {
      let error = #expect(throws: LandmarksError.self) { try edit(store) }
      #expect(error?.code == .invalidArgument && error?.subject == "note")
    }
    #expect(try note == "Bring water")
    #expect(try store.reservations().count == 1)

    let (mine, theirs) = (
      String(repeating: "a", count: VisitNote.maximumLength),
      String(repeating: "b", count: VisitNote.maximumLength)
    )
    try store.setNote(visit.id, theirs)
    try store.setNote(visit.id, mine, base: "Bring water")
    let both = "\(mine)\n\(theirs)"
    #expect(try note == both)
    try store.setNote(visit.id, String(both.dropLast(10)), base: both)
    #expect(try note == String(both.dropLast(10)))
    #expect(throws: LandmarksError.self) { try store.setNote(visit.id, both) }
  }

  @Test("no merge makes a note that the server wouldn't take, whatever base an edit claims")
  func mergedLimit() throws {
    for count in 1...20 {
      let note = String(repeating: "\(count)", count: VisitNote.maximumLength / 2)
      do { try store.setNote(visit.id, note, base: "Bring water") } catch let error
        as LandmarksError
      {
        #expect(error.code == .invalidArgument)
      }
    }
    let kept = try #require(try note)
    let range = VisitNote.maximumLength...VisitNote.maximumMergedLength
    #expect(range.contains(kept.utf16.count))
    let huge = String(repeating: "x", count: 60_000)
    #expect(try store.setNote(visit.id, huge, base: huge).note == kept)
    #expect(throws: LandmarksError.self) {
      try store.setNote(visit.id, huge, base: String(huge.dropLast()) + "y")
    }
  }

  @Test("a note is no choice of the date: a notice of a visit that was moved elsewhere stays")
  func noChoice() throws {
    let context = ModelContext(store.container)
    context.author = "sync"
    try LandmarkStore.stored(visit.id, context)?.date = Fixtures.noon + 3_600
    try context.save()
    let moved = try store.changesElsewhere(now: Fixtures.now)
    #expect(moved.map(\.kind) == [.movedElsewhere])
    try store.setNote(visit.id, "Tickets")
    #expect(try store.changesElsewhere(now: Fixtures.now) == moved)
  }

  @Test("a changed note is an activity and waits for the server; an equal one is neither")
  func activity() async throws {
    try store.setNote(visit.id, "Bring water")
    #expect(try store.activity().map(\.kind) == [.planned])
    try store.setNote(visit.id, "Tickets")
    let latest = try #require(try store.activity().first)
    #expect(latest.kind == .noted && latest.landmarkID == 1 && latest.isOwn)
    #expect(try await store.waiting().map(\.subject) == [.reservation(visit.id, landmarkID: 1)])
  }
}
