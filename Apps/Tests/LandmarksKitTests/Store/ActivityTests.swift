import Foundation
import LandmarksKit
import SwiftData
import SwiftDataExtras
import Testing

@Suite("What happened to marks and visits")
struct ActivityTests {
  private let soon = Reservation.wholeMinutes(Date().addingTimeInterval(30 * 86_400))

  private func store() throws -> LandmarkStore {
    let store = try LandmarkStore(file: nil)
    let context = ModelContext(store.container)
    context.author = "feed"
    for landmark in try LandmarkCatalogue.load() { context.insert(landmark.toStored()) }
    try context.save()
    return store
  }

  @Test("Each change is told once, latest first, with the date that the visit has now")
  func changes() throws {
    let store = try store()
    #expect(try store.activity().isEmpty)
    try store.setFavorite(1002, true)
    try store.setFavorite(1002, false)
    try store.setFavorite(1002, true)
    let visit = try store.reserve(1003, on: soon)
    let later = soon.addingTimeInterval(3_600)
    try store.change(visit.id, to: later)
    try store.cancel(visit.id)
    try store.change(visit.id, to: later)
    let activities = try store.activity()
    #expect(
      activities.map(\.kind) == [
        .booked, .cancelled, .moved, .planned, .marked, .unmarked, .marked,
      ])
    #expect(activities.prefix(4).allSatisfy { $0.landmarkID == 1003 && $0.date == later })
    #expect(activities.prefix(4).allSatisfy { $0.reservationID == visit.id })
    #expect(activities.suffix(3).allSatisfy { $0.landmarkID == 1002 && $0.date == nil })
    #expect(activities.suffix(3).allSatisfy { $0.reservationID == nil })
    #expect(activities.allSatisfy { $0.isOwn })
    let times = activities.map(\.made)
    #expect(times == times.sorted(by: >))
    #expect(try store.activity(limit: 2) == Array(activities.prefix(2)))
  }

  @Test("A removed visit keeps its landmark, and the time of the removal")
  func removal() throws {
    let store = try store()
    let visit = try store.reserve(1003, on: soon)
    try store.cancel(visit.id)
    try store.remove(visit.id)
    let activities = try store.activity()
    #expect(activities.map(\.kind) == [.removed, .cancelled, .planned])
    #expect(activities.allSatisfy { $0.landmarkID == 1003 && $0.date == nil })
    #expect(activities.allSatisfy { $0.reservationID == visit.id })
  }

  @Test("Photos are told with the landmark of their visit; those that go with it aren't")
  func photos() throws {
    let store = try store()
    let visit = try store.reserve(1003, on: soon)
    let first = VisitPhoto(reservationID: visit.id, added: soon, caption: "A")
    let second = VisitPhoto(reservationID: visit.id, added: soon)
    for photo in [first, second] { try store.add(photo, data: SamplePhotos.png()) }
    try store.setCaption("B", ofPhoto: first.id)
    try store.setCaption("B", ofPhoto: first.id)
    try store.removePhoto(first.id)
    var kinds = try store.activity().map(\.kind)
    #expect(kinds == [.photoRemoved, .captioned, .photoAdded, .photoAdded, .planned])
    try store.cancel(visit.id)
    try store.remove(visit.id)
    #expect(try store.photos().isEmpty)
    let activities = try store.activity()
    kinds = activities.map(\.kind)
    #expect(
      kinds == [
        .removed, .cancelled, .photoRemoved, .captioned, .photoAdded, .photoAdded, .planned,
      ])
    #expect(activities.allSatisfy { $0.landmarkID == 1003 && $0.date == nil && $0.isOwn })
    #expect(activities.allSatisfy { $0.reservationID == visit.id })
  }

  @Test("More changes than are read together are told in their order")
  func many() throws {
    let store = try store()
    for number in 0..<1_100 { try store.setFavorite(1002, number % 2 == 0) }
    let activities = try store.activity(limit: 1_050)
    #expect(activities.count == 1_050)
    for (number, activity) in activities.enumerated() {
      #expect(activity.kind == (number % 2 == 0 ? .unmarked : .marked))
    }
  }

  @Test("Changes with an author come from elsewhere; other properties and other models aren't told")
  func elsewhere() throws {
    let store = try store()
    let context = ModelContext(store.container)
    context.author = "sync"
    let landmark = try #require(
      context.fetch(
        FetchDescriptor<StoredLandmark>(predicate: #Predicate { $0.remoteID == 1002 })
      ).first)
    landmark.isFavorite = true
    try context.save()
    landmark.name = "El Capitán"
    try context.save()
    let activities = try store.activity()
    #expect(activities.map(\.kind) == [.marked] && !activities[0].isOwn)
  }

  @Test("Only the models that the list is about are read, however many there are")
  func reads() throws {
    let store = try store()
    for hour in 0..<30 {
      let visit = try store.reserve(1003, on: soon.addingTimeInterval(Double(hour) * 3_600))
      for _ in 0..<3 {
        try store.add(
          VisitPhoto(reservationID: visit.id, added: soon), data: SamplePhotos.png(count: 100))
      }
    }
    let (activities, statements) = try store.container.recordingStatements {
      try store.activity(limit: 8)
    }
    #expect(activities.count == 8 && activities.allSatisfy { $0.landmarkID == 1003 })
    #expect(Set(activities.compactMap(\.reservationID)).count == 2)
    let rows = { (table: String) in
      statements.filter { $0.sql.contains("FROM \"\(table)\"") }.map(\.rows).reduce(0, +)
    }
    #expect(rows("StoredPhoto") == 6)
    #expect(rows("StoredReservation") <= 4 && rows("StoredReservation") >= 2)
    #expect(rows("StoredLandmark") == 0)
  }

  @Test("A visit of which several changes are read in parts has the state before each of them")
  func parts() throws {
    let store = try store()
    let visit = try store.reserve(1003, on: soon)
    let photo = VisitPhoto(reservationID: visit.id, added: soon)
    for _ in 0..<3 {
      try store.cancel(visit.id)
      try store.setFavorite(1002, true)
      try store.change(visit.id, to: soon)
      try store.setFavorite(1002, false)
    }
    try store.add(photo, data: SamplePhotos.png())
    let whole = try store.activity()
    #expect(
      whole.map(\.kind) == [.photoAdded]
        + Array(repeating: [.unmarked, .booked, .marked, .cancelled], count: 3).joined()
        + [.planned])
    for limit in 1...whole.count {
      #expect(try store.activity(limit: limit) == Array(whole.prefix(limit)))
    }
  }
}
