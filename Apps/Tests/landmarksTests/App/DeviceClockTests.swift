import Foundation
import Testing

@testable import LandmarksKit
@testable import ProgramTesting
@testable import landmarks

@Suite("Devices whose clocks are wrong", .timeLimit(.minutes(20)))
struct DeviceClockTests {
  @Test(
    "the distance is read from the command line",
    arguments: [
      ("+90s", 90), ("90s", 90), ("-15m", -900), ("+3h", 10_800), ("-2d", -172_800), ("0s", 0),
      ("3650d", 315_360_000), ("-3650d", -315_360_000),
    ])
  func offsets(text: String, offset: Int) throws {
    #expect(try DeviceClock(text: text).offset == offset)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "d", "-d", "3", "3 d", "+-3d", "3.5h", "3651d", "-3651d", "3w", "999999999d", "９d",
      "9999999999s", "3d3h",
    ])
  func refused(text: String) {
    #expect(throws: (any Error).self) { try DeviceClock(text: text) }
  }

  @Test(
    "the pause between exchanges is a duration, or bare seconds",
    arguments: [
      ("30", 30), ("30s", 30), ("2m", 120), ("1h", 3_600), ("1d", 86_400), ("86400", 86_400),
    ])
  func pauses(text: String, seconds: Int) throws {
    #expect(try AppCommand.parse(["--every", text]).every == seconds)
  }

  @Test(
    "anything else is no pause",
    arguments: ["", "0", "0s", "-5", "1.5", "2d", "86401", "30x", "s", "5 m", "99999999999"])
  func noPauses(text: String) {
    #expect(throws: (any Error).self) { try AppCommand.parse(["--every=\(text)"]) }
  }

  @Test("a date counts as past by the device's clock, and the refusal says so")
  func dates() async throws {
    let (fast, slow) = (try deviceStore(), try deviceStore())
    let soon = Reservation.wholeMinutes(Date().addingTimeInterval(86_400))
    let edit = LandmarkEdit.reservation(UUID(), landmarkID: 1002, date: soon, note: "")
    let server = try #require(URL(string: "http://127.0.0.1:1"))
    let ahead = try AppSource(
      fast, server: server, token: alice, clock: DeviceClock(offset: 172_800))
    do {
      try ahead.make(edit, key: nil)
      Issue.record("a visit that is over by then was planned")
    } catch let error as LandmarksError {
      #expect(error.code == .invalidArgument && error.reason.contains("future"))
    }
    let behind = try AppSource(
      slow, server: server, token: alice, clock: DeviceClock(offset: -172_800))
    let past = LandmarkEdit.reservation(
      UUID(), landmarkID: 1002, date: Date().addingTimeInterval(-86_400), note: "")
    try behind.make(past, key: nil)
    #expect(try slow.reservations().count == 1)
  }

  @Test(
    "nothing of two devices with different times is lost, and the last one to exchange decides",
    arguments: [-172_800, 172_800])
  func devices(offset: Int) async throws {
    try await withServer { client async throws in
      let server = try #require(URL(string: client.address))
      let clock = DeviceClock(offset: offset)
      let one = try AppSource(LandmarkStore(file: nil), server: server, token: alice)
      let two = try AppSource(LandmarkStore(file: nil), server: server, token: alice, clock: clock)
      let day = Reservation.wholeMinutes(Date().addingTimeInterval(30 * 86_400))
      let (id, later) = (UUID(), day.addingTimeInterval(86_400))
      _ = try await one.exchange()
      try one.make(.reservation(id, landmarkID: 1002, date: day, note: "Water"), key: nil)
      _ = try await one.exchange()
      _ = try await two.exchange()
      try one.make(.move(id, date: later), key: nil)
      try one.make(.note(id, "Water\nTent", base: "Water"), key: nil)
      try two.make(.move(id, date: later.addingTimeInterval(86_400)), key: nil)
      try two.make(.note(id, "Tickets\nWater", base: "Water"), key: nil)
      try two.make(.favorite(landmarkID: 1003, true), key: nil)
      for device in [one, two, one] { _ = try await device.exchange() }
      for device in [one, two] {
        let visit = try #require(try device.store.reservations().first)
        #expect(visit.date == later.addingTimeInterval(86_400))
        #expect(visit.note == "Tickets\nWater\nTent")
        #expect(try device.store.landmark(1003)?.isFavorite == true)
        #expect(try await device.status().pending == 0)
      }
      // Both tell it, whatever their clocks say.
      let waiting = try await one.sync.waiting()
      let told = try await one.sync.notices(waiting, now: one.clock.now).map(\.kind)
      let decided = try await two.sync.notices([], now: two.clock.now).map(\.kind)
      #expect(told == [.movedElsewhere] && decided == [.keptMyDate])
    }
  }

  @Test("a page's edit with a key is made once, whatever the program's clock says")
  func keys() async throws {
    let store = try deviceStore()
    let server = try #require(URL(string: "http://127.0.0.1:1"))
    let source = try AppSource(
      store, server: server, token: alice, clock: DeviceClock(offset: -30 * 86_400))
    let key = try #require(
      EditKey(UUID(uuidString: "01A2201D-500C-7990-BB7D-6B3C7285FBE4") ?? UUID()))
    for _ in 0..<2 { try source.make(.favorite(landmarkID: 1002, true), key: key) }
    #expect(try store.activity().map(\.kind) == [.marked])
  }
}
