import Foundation
import SwiftData
import Testing

@testable import LandmarksKit
@testable import landmarks
@testable import ProgramTesting

@Suite("Two devices and their server", .timeLimit(.minutes(20)))
struct TwoDevicesTests {
  private let soon = Reservation.wholeMinutes(Date().addingTimeInterval(30 * 86_400))

  private func source(
    _ client: WireClient, _ token: String = alice, _ store: LandmarkStore? = nil
  ) throws -> AppSource {
    guard let server = URL(string: client.address) else { throw WireError(reason: "bad address") }
    return try AppSource(
      store ?? LandmarkStore(file: nil), server: server, token: token)
  }

  private func notices(_ source: AppSource) async throws -> [SyncNotice] {
    try await source.sync.notices(try await source.sync.waiting())
  }

  @Test("edits of one device are on the other after both have exchanged")
  func converge() async throws {
    try await withServer { client async throws in
      let one = try source(client)
      let two = try source(client)
      let (landmarks, _) = try await one.exchange()
      #expect(landmarks.inserted == 80)
      _ = try await two.exchange()
      try one.store.setFavorite(1002, true)
      let made = try one.store.reserve(1003, on: soon)
      #expect(try await one.status().pending == 2)
      #expect(try await one.exchange().sync.sent == 2)
      #expect(try await one.status().pending == 0)
      _ = try await two.exchange()
      #expect(try two.store.landmarks(LandmarkQuery(favoritesOnly: true)).map(\.id) == [1002])
      #expect(try two.store.reservations() == [made])
      try two.store.cancel(made.id)
      _ = try await two.exchange()
      _ = try await one.exchange()
      #expect(try one.store.reservations().map(\.status) == [.cancelled])
      try one.store.remove(made.id)
      _ = try await one.exchange()
      _ = try await two.exchange()
      #expect(try two.store.reservations().isEmpty)
    }
  }

  @Test(
    "both move one reservation: the last to exchange keeps its date, with a notice, and all agree")
  func conflict() async throws {
    try await withServer { client async throws in
      let one = try source(client)
      let two = try source(client)
      _ = try await one.exchange()
      let made = try one.store.reserve(1003, on: soon)
      _ = try await one.exchange()
      _ = try await two.exchange()
      try one.store.change(made.id, to: soon.addingTimeInterval(3_600))
      try two.store.change(made.id, to: soon.addingTimeInterval(7_200))
      _ = try await one.exchange()
      let report = try await two.exchange().sync
      #expect(report.conflicts == 1)
      #expect(try await notices(two).map(\.kind) == [.keptMyDate])
      _ = try await one.exchange()
      for device in [one, two] {
        #expect(
          try device.store.reservations().map(\.date) == [soon.addingTimeInterval(7_200)])
        #expect(try await device.status().pending == 0)
      }
      let notice = try #require(try await notices(two).first)
      #expect(notice.mine == soon.addingTimeInterval(7_200))
      #expect(notice.theirs == soon.addingTimeInterval(3_600))
      // The other device is told, too, and its date is one click away.
      let other = try #require(try await notices(one).first)
      #expect(other.kind == .movedElsewhere && other.reservationID == made.id)
      #expect(other.mine == notice.theirs && other.theirs == notice.mine)
      try await two.sync.dismissNotice(of: made.id)
      #expect(try await notices(two).isEmpty)
    }
  }

  @Test("the decisions of one exchange are told in the engine's order, the latest first")
  func order() async throws {
    try await withServer { client async throws in
      let one = try source(client)
      let two = try source(client)
      _ = try await one.exchange()
      let visits = try (0..<6).map {
        try one.store.reserve(1003 + $0, on: soon.addingTimeInterval(Double($0) * 86_400))
      }
      for device in [one, two] { _ = try await device.exchange() }
      for visit in visits {
        try one.store.change(visit.id, to: visit.date.addingTimeInterval(3_600))
        try two.store.change(visit.id, to: visit.date.addingTimeInterval(7_200))
      }
      for device in [one, two] { _ = try await device.exchange() }
      let decided = try await two.sync.engine.conflicts().map(\.conflict.object.key)
      #expect(Set(decided).count == visits.count)
      #expect(try await notices(two).map(\.reservationID?.uuidString) == decided)
    }
  }

  @Test("notes that both devices change are merged, and both have the same text")
  func notes() async throws {
    try await withServer { client async throws in
      let one = try source(client)
      let two = try source(client)
      _ = try await one.exchange()
      let made = try one.store.reserve(1003, on: soon, note: "Tickets\nWater")
      for device in [one, two] { _ = try await device.exchange() }
      #expect(try two.store.reservations() == [made])
      try one.store.setNote(made.id, "Two tickets\nWater")
      try two.store.setNote(made.id, "Tickets\nWater\nTent")
      for device in [one, two, one] { _ = try await device.exchange() }
      for device in [one, two] {
        #expect(try device.store.reservation(made.id)?.note == "Two tickets\nWater\nTent")
        #expect(try await device.status().pending == 0)
        #expect(try await notices(device).isEmpty)
      }
      // The same line: the device that merges tells of it.
      try one.store.setNote(made.id, "Two tickets\nWater\nBig tent")
      try two.store.setNote(made.id, "Two tickets\nWater\nSmall tent")
      for device in [one, two, one] { _ = try await device.exchange() }
      for device in [one, two] {
        #expect(
          try device.store.reservation(made.id)?.note == "Two tickets\nWater\nBig tent\nSmall tent")
      }
      #expect(try await notices(two).map(\.kind) == [.mergedNote])
      #expect(try await notices(one).isEmpty)
      try await two.sync.dismissNotice(of: made.id)
      #expect(try await notices(two).isEmpty)
      let kinds = try one.store.activity().filter { !$0.isOwn }.map(\.kind)
      #expect(kinds == [.noted, .noted])
    }
  }

  @Test("of a visit that was removed elsewhere, the notice has the note that was typed here")
  func removedWithNote() async throws {
    try await withServer { client async throws in
      let one = try source(client)
      let two = try source(client)
      _ = try await one.exchange()
      let made = try one.store.reserve(1003, on: soon, note: "Water")
      for device in [one, two] { _ = try await device.exchange() }
      try one.store.setNote(made.id, "Water\nTent")
      for device in [one, two] { _ = try await device.exchange() }
      try two.store.remove(made.id)
      for device in [two, one] { _ = try await device.exchange() }
      #expect(try one.store.reservations().isEmpty)
      let notice = try #require(try await notices(one).first)
      #expect(notice.kind == .removedElsewhere && notice.note == "Water\nTent")
      let line = try NoticeText.line(notice, one.store)
      #expect(line.hasSuffix(" was removed elsewhere. Its note was: Water / Tent"))
    }
  }

  @Test("a note that grew too long for the server stays here with the reason until it is shortened")
  func longNote() async throws {
    try await withServer { client async throws in
      let device = try source(client)
      _ = try await device.exchange()
      let made = try device.store.reserve(1003, on: soon)
      let context = ModelContext(device.store.container)
      let long = String(repeating: "a", count: VisitNote.maximumMergedLength + 1)
      try LandmarkStore.stored(made.id, context)?.note = long
      try context.save()
      _ = try await device.exchange()
      let notice = try #require(try await notices(device).first)
      #expect(notice.kind == .refused)
      #expect(notice.detail == "The note has 8001 characters; at most 8000 are kept.")
      #expect(try device.store.reservation(made.id)?.note == long)
      try device.store.setNote(made.id, String(long.dropLast()))
      #expect(try await device.exchange().sync.sent == 1)
      #expect(try await notices(device).isEmpty)
    }
  }

  @Test("each device is told when a visit that its user chose is changed elsewhere")
  func changedElsewhere() async throws {
    try await withServer { client async throws in
      let one = try source(client)
      let two = try source(client)
      func exchange() async throws {
        for device in [one, two, one] { _ = try await device.exchange() }
      }
      _ = try await one.exchange()
      let made = try one.store.reserve(1003, on: soon)
      try await exchange()
      #expect(try await notices(one).isEmpty)
      #expect(try await notices(two).isEmpty)

      let later = soon.addingTimeInterval(86_400)
      try two.store.change(made.id, to: later)
      try await exchange()
      #expect(try await notices(one).map(\.kind) == [.movedElsewhere])
      #expect(try await notices(two).isEmpty)
      // The choice is made again here, and then the other device is told.
      try one.store.change(made.id, to: soon)
      try await exchange()
      #expect(try await notices(one).isEmpty)
      #expect(try await notices(two).map(\.kind) == [.movedElsewhere])
      try await two.sync.dismissNotice(of: made.id)
      #expect(try await notices(two).isEmpty)

      try two.store.cancel(made.id)
      try await exchange()
      #expect(try await notices(one).map(\.kind) == [.cancelledElsewhere])
      try one.store.change(made.id, to: soon)
      try await exchange()
      #expect(try await notices(two).map(\.kind) == [.bookedElsewhere])
      #expect(try await notices(one).isEmpty)
      try await two.sync.dismissNotice(of: made.id)

      try two.store.remove(made.id)
      try await exchange()
      let removed = try #require(try await notices(one).first)
      #expect(removed.kind == .removedElsewhere && removed.mine == soon && removed.theirs == nil)
      #expect(try await notices(two).isEmpty)
      try await one.sync.dismissNotice(of: made.id)
      #expect(try await notices(one).isEmpty)
    }
  }

  @Test("a dismissal that was kept leaves later notices, and with them the last copy of a note")
  func lateDismissal() async throws {
    try await withServer { client async throws in
      let one = try source(client)
      let two = try source(client)
      func exchange() async throws {
        for device in [one, two, one] { _ = try await device.exchange() }
      }
      /// The time as the page has it.
      func told(_ notice: SyncNotice) -> Date {
        Date(
          timeIntervalSince1970: (notice.made.timeIntervalSince1970 * 1_000).rounded() / 1_000)
      }
      _ = try await one.exchange()
      let made = try one.store.reserve(1003, on: soon, note: "Water")
      try await exchange()
      try two.store.change(made.id, to: soon.addingTimeInterval(86_400))
      try await exchange()
      let first = try #require(try await notices(one).first)
      try two.store.change(made.id, to: soon.addingTimeInterval(2 * 86_400))
      try await exchange()
      try await one.sync.dismissNotice(of: made.id, made: told(first))
      let second = try #require(try await notices(one).first)
      #expect(second.kind == .movedElsewhere && second.made > first.made)
      try two.store.remove(made.id)
      try await exchange()
      for seen in [first, second] {
        try await one.sync.dismissNotice(of: made.id, made: told(seen))
        #expect(try await notices(one).map(\.note) == ["Water"])
      }
      let last = try #require(try await notices(one).first)
      #expect(last.kind == .removedElsewhere)
      try await one.sync.dismissNotice(of: made.id, made: told(last))
      #expect(try await notices(one).isEmpty)
    }
  }

  @Test("there is no notice of visits that are over, and old choices are forgotten")
  func overVisits() async throws {
    try await withServer { client async throws in
      let one = try source(client)
      let two = try source(client)
      _ = try await one.exchange()
      let past = Date().addingTimeInterval(-400 * 86_400)
      let made = try one.store.reserve(
        1003, on: past, now: past.addingTimeInterval(-86_400))
      for device in [one, two] { _ = try await device.exchange() }
      try two.store.remove(made.id)
      for device in [two, one] { _ = try await device.exchange() }
      #expect(try one.store.reservations().isEmpty)
      #expect(try await notices(one).isEmpty)
      let context = ModelContext(one.store.container)
      #expect(try context.fetchCount(FetchDescriptor<ChosenVisit>()) == 1)
      try one.store.forgetOldEdits()
      #expect(try context.fetchCount(FetchDescriptor<ChosenVisit>()) == 0)
    }
  }

  @Test(
    "one removes a reservation that the other moves: it stays, with a notice on the removing device"
  )
  func removedAndMoved() async throws {
    try await withServer { client async throws in
      let one = try source(client)
      let two = try source(client)
      _ = try await one.exchange()
      let made = try one.store.reserve(1003, on: soon)
      _ = try await one.exchange()
      _ = try await two.exchange()
      let moved = try two.store.change(made.id, to: soon.addingTimeInterval(3_600))
      try one.store.remove(made.id)
      _ = try await two.exchange()
      _ = try await one.exchange()
      #expect(try await notices(one).map(\.kind) == [.restoredTheirEdit])
      #expect(try one.store.reservations() == [moved])
      #expect(try await one.status().pending == 0)
    }
  }

  @Test("edits made without the server wait for it, and are sent when it is back")
  func serverDown() async throws {
    let store = try deviceStore()
    let away = try AppSource(
      store, server: try #require(URL(string: "http://127.0.0.1:1")), token: alice)
    try store.setFavorite(1002, true)
    await #expect(throws: (any Error).self) { try await away.exchange() }
    let status = try await away.status()
    #expect(status.state == .offline && status.pending == 1)
    try await withServer { client async throws in
      let back = try source(client, alice, store)
      _ = try await back.exchange()
      let status = try await back.status()
      #expect(status.state == .synced && status.pending == 0)
      #expect(try await client.request("GET", "/favorites", by: alice).text.contains("1002"))
      #expect(try store.landmarks(LandmarkQuery(favoritesOnly: true)).map(\.id) == [1002])
    }
  }

  @Test("nothing is exchanged while the user works offline, and what waited is sent afterwards")
  func workingOffline() async throws {
    try await withServer { client async throws in
      let device = try source(client)
      _ = try await device.exchange()
      await device.workOffline()
      #expect(try await device.status().state == .off)
      try device.store.setFavorite(1002, true)
      let loop = Task {
        try await ExchangeLoop(source: device, every: .seconds(60), logger: silentLogger).run()
      }
      defer { loop.cancel() }
      // The loop's first request of the landmarks does nothing, and neither does the engine.
      device.wantRefresh()
      let before = try await client.request("GET", "/favorites", by: alice).text
      #expect(!before.contains("1002"))
      let status = try await device.status()
      #expect(status.state == .off && status.pending == 1)
      device.wantExchange()
      for await _ in device.sync.engine.status.states {
        let favorites = try await client.request("GET", "/favorites", by: alice).text
        if favorites.contains("1002") { break }
      }
      #expect(!device.isWorkingOffline)
    }
  }

  @Test("an invalid token pauses the exchange and keeps the edits")
  func wrongToken() async throws {
    try await withServer { client async throws in
      let device = try source(client, "nobody-0123456789abcdef", try deviceStore())
      try device.store.setFavorite(1002, true)
      await #expect(throws: (any Error).self) { try await device.exchange() }
      let status = try await device.status()
      #expect(status.state == .paused && status.pending == 1)
      #expect(status.message?.contains("token") == true)
    }
  }

  @Test("a change that the server refuses stays, is reported, and doesn't block the others")
  func refused() async throws {
    try await withServer { client async throws in
      let store = try deviceStore()
      let context = ModelContext(store.container)
      var unknown = try #require(try LandmarkCatalogue.load().first)
      unknown.id = 7
      context.insert(unknown.toStored())
      try context.save()
      let device = try source(client, alice, store)
      try store.reserve(7, on: soon)
      try store.setFavorite(7, true)
      let good = try store.reserve(1003, on: soon)
      let report = try await device.exchange().sync
      #expect(report.quarantined == 2 && report.sent == 1)
      #expect(try await device.status().pending == 2)
      let told = try await notices(device)
      #expect(told.map(\.kind) == [.refused, .refused])
      #expect(told.allSatisfy { $0.detail == "There is no landmark with this number." })
      #expect(Set(told.map { $0.reservationID == nil }) == [true, false])
      let onServer = try await client.request("GET", "/reservations", by: alice).text
      #expect(onServer.contains(good.id.uuidString))
      _ = try await device.exchange()
      #expect(try await notices(device).count == 2)
    }
  }

  @Test("landmarks that are removed and return have their marks again, and the server keeps them")
  func landmarksComeBack() async throws {
    try await withServer { client async throws in
      let device = try source(client)
      _ = try await device.exchange()
      try device.store.setFavorite(1002, true)
      _ = try await device.exchange()
      let context = ModelContext(device.store.container)
      try context.delete(model: StoredLandmark.self)
      try context.save()
      _ = try await device.sync.exchange()
      #expect(try await client.request("GET", "/favorites", by: alice).text.contains("1002"))
      context.author = "import"
      for landmark in try LandmarkCatalogue.load() { context.insert(landmark.toStored()) }
      try context.save()
      #expect(try await device.status().pending == 0)
      _ = try await device.sync.exchange()
      #expect(try device.store.landmarks(LandmarkQuery(favoritesOnly: true)).map(\.id) == [1002])
    }
  }

  @Test("after a change of the server's address the landmarks keep their age")
  func otherAddress() async throws {
    try await withServer { client async throws in
      let store = try LandmarkStore(file: nil)
      let one = try source(client, alice, store)
      #expect(try await one.status().lastUpdated == nil)
      _ = try await one.exchange()
      let other = try AppSource(
        store, server: try #require(URL(string: "http://127.0.0.1:1")), token: alice)
      let before = try #require(try await one.status().lastUpdated)
      let after = try #require(try await other.status().lastUpdated)
      #expect(abs(after.timeIntervalSince(before)) < 60)
    }
  }
}
