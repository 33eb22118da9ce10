import Foundation
import SwiftData
import SwiftDataSync
import Testing

@testable import LandmarksKit
@testable import landmarks
@testable import ProgramTesting

@Suite("Photos of two devices and their server", .timeLimit(.minutes(20)))
struct PhotoExchangeTests {
  private let soon = Reservation.wholeMinutes(Date().addingTimeInterval(30 * 86_400))

  private func source(
    _ client: WireClient, every: Duration = .seconds(30)
  ) throws -> AppSource {
    guard let server = URL(string: client.address) else { throw WireError(reason: "bad address") }
    return try AppSource(LandmarkStore(file: nil), server: server, token: alice, every: every)
  }

  private func visit(_ source: AppSource) async throws -> Reservation {
    _ = try await source.exchange()
    return try source.store.reserve(1003, on: soon)
  }

  @Test("photos taken offline, small and large, are on the other device after both have exchanged")
  func exchanged() async throws {
    try await withServer { client async throws in
      let (one, two) = (try source(client), try source(client))
      let visit = try await visit(one)
      let small = VisitPhoto(reservationID: visit.id, added: soon, caption: "Before")
      let large = VisitPhoto(reservationID: visit.id, added: soon + 1, caption: "After")
      try one.store.add(small, data: SamplePhotos.png())
      try one.store.add(large, data: SamplePhotos.jpeg(count: 1_000_000))
      let waiting = try await one.sync.waiting()
      #expect(
        Set(waiting.map(\.subject)) == [
          .reservation(visit.id, landmarkID: 1003), .photo(small.id, reservationID: visit.id),
          .photo(large.id, reservationID: visit.id),
        ])
      #expect(try await one.exchange().sync.sent == 3)
      #expect(try await one.status().pending == 0)
      _ = try await two.exchange()
      #expect(try two.store.photos() == [small, large])
      #expect(try two.store.photo(small.id)?.data == SamplePhotos.png())
      #expect(try two.store.photo(large.id)?.data == SamplePhotos.jpeg(count: 1_000_000))
      try two.store.removePhoto(small.id)
      _ = try await two.exchange()
      _ = try await one.exchange()
      #expect(try one.store.photos() == [large])
      try one.store.remove(visit.id)
      _ = try await one.exchange()
      _ = try await two.exchange()
      for device in [one, two] {
        #expect(try device.store.photos().isEmpty && device.store.reservations().isEmpty)
        #expect(try await device.status().pending == 0)
      }
    }
  }

  @Test("a changed caption reaches the other device; of two, that of the last exchange counts")
  func captions() async throws {
    try await withServer { client async throws in
      let (one, two) = (try source(client), try source(client))
      let visit = try await visit(one)
      let photo = VisitPhoto(reservationID: visit.id, added: soon, caption: "Before")
      try one.store.add(photo, data: SamplePhotos.jpeg(count: 500_000))
      // Changed before the photo was sent.
      try one.store.setCaption("On the way", ofPhoto: photo.id)
      _ = try await one.exchange()
      _ = try await two.exchange()
      #expect(try two.store.photos().map(\.caption) == ["On the way"])
      try one.store.setCaption("From one", ofPhoto: photo.id)
      try two.store.setCaption("From two", ofPhoto: photo.id)
      let waiting = try await one.sync.waiting()
      #expect(waiting.map(\.subject) == [.photo(photo.id, reservationID: visit.id)])
      for device in [one, two, one] { _ = try await device.exchange() }
      for device in [one, two] {
        #expect(try device.store.photos().map(\.caption) == ["From two"])
        #expect(try device.store.photo(photo.id)?.data == SamplePhotos.jpeg(count: 500_000))
        #expect(try await device.status().pending == 0)
      }
      func notice(_ device: AppSource) async throws -> SyncNotice? {
        let notices = try await device.sync.notices(device.sync.waiting())
        #expect(notices.count <= 1)
        return notices.first
      }
      let lost = try #require(try await notice(one))
      #expect(lost.kind == .captionedElsewhere && lost.landmarkID == 1003)
      #expect(lost.photoID == photo.id && lost.reservationID == visit.id)
      #expect(lost.caption == "From one" && lost.otherCaption == "From two")
      let kept = try #require(try await notice(two))
      #expect(kept.kind == .keptMyCaption)
      #expect(kept.photoID == photo.id && kept.reservationID == visit.id)
      #expect(kept.caption == "From two" && kept.otherCaption == "From one")
      // The losing device's user takes theirs: the other device learns that, instead of its decision.
      try one.store.setCaption("From one", ofPhoto: photo.id)
      #expect(try await notice(one) == nil)
      for device in [one, two] { _ = try await device.exchange() }
      let changed = try #require(try await notice(two))
      #expect(changed.kind == .captionedElsewhere && changed.otherCaption == "From one")
      try await two.sync.dismissNotice(of: photo.id)
      #expect(try await notice(two) == nil)
      // A change from elsewhere that isn't about an own choice is no notice.
      try one.store.setCaption("Again", ofPhoto: photo.id)
      for device in [one, two] { _ = try await device.exchange() }
      #expect(try await notice(two) == nil)
      try two.store.setCaption("Mine", ofPhoto: photo.id)
      try two.store.removePhoto(photo.id)
      for device in [two, one] {
        _ = try await device.exchange()
        #expect(try await notice(device) == nil)
        let choices = try ModelContext(device.store.container)
          .fetchCount(FetchDescriptor<ChosenCaption>())
        #expect(choices == (device === two ? 0 : 1))
      }
      try one.store.forgetOldEdits(now: .now.addingTimeInterval(400 * 86_400))
      #expect(
        try ModelContext(one.store.container).fetchCount(FetchDescriptor<ChosenCaption>()) == 0)
    }
  }

  @Test("a dismissal that was kept leaves the notice of a caption that was changed since")
  func lateDismissal() async throws {
    try await withServer { client async throws in
      let (one, two) = (try source(client), try source(client))
      let photo = VisitPhoto(reservationID: try await visit(one).id, added: soon, caption: "")
      try one.store.add(photo, data: SamplePhotos.png())
      try one.store.setCaption("Mine", ofPhoto: photo.id)
      for device in [one, two] { _ = try await device.exchange() }
      func notice(afterCaption caption: String) async throws -> SyncNotice? {
        try two.store.setCaption(caption, ofPhoto: photo.id)
        for device in [two, one] { _ = try await device.exchange() }
        return try await one.sync.notices(one.sync.waiting()).first
      }
      let first = try #require(try await notice(afterCaption: "Theirs"))
      let second = try #require(try await notice(afterCaption: "Theirs again"))
      #expect(second.otherCaption == "Theirs again" && second.made > first.made)
      try await one.sync.dismissNotice(of: photo.id, made: first.made)
      #expect(try await one.sync.notices(one.sync.waiting()).map(\.caption) == ["Mine"])
      try await one.sync.dismissNotice(of: photo.id, made: second.made)
      #expect(try await one.sync.notices(one.sync.waiting()).isEmpty)
    }
  }

  @Test("a photo that was removed elsewhere is there again when its caption was changed")
  func captionOfRemoved() async throws {
    try await withServer { client async throws in
      let (one, two) = (try source(client), try source(client))
      let visit = try await visit(one)
      let photo = VisitPhoto(reservationID: visit.id, added: soon)
      let data = SamplePhotos.jpeg(count: 500_000)
      try one.store.add(photo, data: data)
      _ = try await one.exchange()
      _ = try await two.exchange()
      try two.store.removePhoto(photo.id)
      _ = try await two.exchange()
      try one.store.setCaption("Worth keeping", ofPhoto: photo.id)
      for device in [one, two] { _ = try await device.exchange() }
      for device in [one, two] {
        #expect(try device.store.photos().map(\.caption) == ["Worth keeping"])
        #expect(try device.store.photo(photo.id)?.data == data)
        #expect(try await device.status().pending == 0)
      }
    }
  }

  @Test("a photo goes through a server at which every third request fails")
  func faults() async throws {
    try await withServer(faults: ServerFaults(percentage: 33, delay: .zero)) {
      client async throws in
      // No pause is longer than that, but for those that the server asks for: a second each.
      let (one, two) = (
        try source(client, every: .seconds(1)), try source(client, every: .seconds(1))
      )
      // As often as needed, since no request is sent in a pause; the time limit of the suite ends it.
      func exchanged(_ device: AppSource, until isDone: () async throws -> Bool) async throws {
        while try await !isDone() {
          try Task.checkCancellation()
          // The server is told to fail.
          _ = try? await device.exchange()
        }
      }
      try await exchanged(one) { try !one.store.landmarks().isEmpty }
      let visit = try one.store.reserve(1003, on: soon)
      let photo = VisitPhoto(reservationID: visit.id, added: soon)
      let data = SamplePhotos.jpeg(count: 2_000_000)
      try one.store.add(photo, data: data)
      try await exchanged(one) { try await one.status().pending == 0 }
      try await exchanged(two) { try !two.store.photos().isEmpty }
      #expect(try two.store.photo(photo.id)?.data == data)
    }
  }

  @Test("the photo of a visit that was removed elsewhere stays, with a notice, until it is removed")
  func removedVisit() async throws {
    try await withServer { client async throws in
      let (one, two) = (try source(client), try source(client))
      let visit = try await visit(one)
      _ = try await one.exchange()
      _ = try await two.exchange()
      try two.store.remove(visit.id)
      _ = try await two.exchange()
      let photo = VisitPhoto(reservationID: visit.id, added: soon)
      try one.store.add(photo, data: SamplePhotos.jpeg(count: 100_000))
      _ = try await one.exchange()
      #expect(try one.store.photos() == [photo])
      let waiting = try await one.sync.waiting()
      #expect(waiting.contains { $0.subject == .photo(photo.id, reservationID: visit.id) })
      let notices = try await one.sync.notices(waiting)
      #expect(notices.contains { $0.photoID == photo.id && $0.kind == .refused })
      try one.store.removePhoto(photo.id)
      _ = try await one.exchange()
      #expect(try await one.status().pending == 0)
      #expect(try one.store.reservations().isEmpty)
    }
  }

  @Test("what the server refuses stays with its reason, and holds up nothing else")
  func refused() async throws {
    try await withServer { client async throws in
      let one = try source(client)
      let visit = try await visit(one)
      _ = try await one.exchange()
      // A device of another version may take what this server doesn't.
      let odd = VisitPhoto(reservationID: visit.id, added: soon)
      let context = ModelContext(one.store.container)
      context.insert(StoredPhoto(odd, data: Data(repeating: 0x3C, count: 50_000)))
      try context.save()
      let good = VisitPhoto(reservationID: visit.id, added: soon + 1)
      try one.store.add(good, data: SamplePhotos.png())
      _ = try await one.exchange()
      let waiting = try await one.sync.waiting()
      #expect(waiting.map(\.subject) == [.photo(odd.id, reservationID: visit.id)])
      #expect(waiting.map(\.reason) == [.refused("Use a photo in JPEG, PNG or WebP.")])
      let notice = try #require(try await one.sync.notices(waiting).first)
      #expect(notice.photoID == odd.id && notice.reservationID == visit.id)
    }
  }
}
