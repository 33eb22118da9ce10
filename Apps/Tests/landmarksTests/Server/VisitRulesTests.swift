import Foundation
import LandmarksKit
import LocalApp
import Testing

@testable import landmarks
@testable import ProgramTesting

@Suite("The server's rules for visits")
struct VisitRulesTests {
  private let place = 1002
  /// Tuesday, 1 June 2027, 18:00 UTC: ten in the morning at the landmark, by its longitude.
  private let tuesday = Date(timeIntervalSince1970: 1_811_872_800)
  private let day = 86_400.0

  private func store(_ rules: VisitRules) throws -> ServedStore {
    try ServedStore(file: nil, landmarks: LandmarkCatalogue.load(), rules: rules)
  }

  private func body(
    _ date: Date, landmark: Int = 1002, status: String = "confirmed"
  ) -> ReservationBody {
    ReservationBody(landmarkID: landmark, date: date, status: status)
  }

  /// Returns the refusal of a visit; nil when it is taken.
  private func refusal(
    _ store: ServedStore, _ body: ReservationBody, _ id: UUID = UUID(), user: String = "alice",
    _ condition: ServedStore.Condition = .none
  ) async throws -> APIFailure? {
    do {
      _ = try await store.put(id, body, of: user, condition)
      return nil
    } catch let failure as APIFailure { return failure }
  }

  @Test("Without rules, any visit is taken")
  func none() async throws {
    let store = try store(VisitRules())
    for user in ["alice", "bob"] {
      #expect(try await refusal(store, body(tuesday), user: user) == nil)
      #expect(try await refusal(store, body(tuesday), user: user) == nil)
    }
  }

  @Test("A full day is refused with the days that have places; a cancelled visit frees one")
  func places() async throws {
    let store = try store(VisitRules(placesADay: 2, closedWeekdays: [5]))
    let first = UUID()
    #expect(try await refusal(store, body(tuesday), first) == nil)
    #expect(try await refusal(store, body(tuesday.addingTimeInterval(3_600)), user: "bob") == nil)
    let refused = try #require(try await refusal(store, body(tuesday), user: "carol"))
    #expect(refused.status == .unprocessableContent && refused.code == "full")
    // Thursdays are closed.
    #expect(
      refused.message == "All places at El Capitan on 2027-06-01 are taken; 2027-06-02, "
        + "2027-06-04 and 2027-06-05 are free.")
    // The same time on these days.
    let choices = ["2027-06-02T18:00:00Z", "2027-06-04T18:00:00Z", "2027-06-05T18:00:00Z"]
    #expect(refused.parameter == "date" && refused.choices == choices)
    #expect(
      String(decoding: refused.body, as: UTF8.self).hasSuffix(
        #"are free.","choices":["\#(choices.joined(separator: #"",""#))"]}}"#))
    // The day is that of the landmark: in UTC, this is the same day, and there the evening before.
    let evening = Date(timeIntervalSince1970: 1_811_808_000 + 7 * 3_600)
    #expect(try await refusal(store, body(evening), user: "carol") == nil)
    // A visit doesn't take a place from itself.
    let moved = body(tuesday.addingTimeInterval(1_800))
    #expect(try await refusal(store, moved, first, .present) == nil)
    #expect(try await refusal(store, body(tuesday, status: "cancelled"), first, .present) == nil)
    #expect(try await refusal(store, body(tuesday), user: "carol") == nil)
    // Another landmark has places of its own.
    #expect(try await refusal(store, body(tuesday, landmark: 1003)) == nil)
  }

  @Test("A closed day is refused with the next open ones, but a cancellation is taken")
  func closed() async throws {
    let store = try store(VisitRules(closedWeekdays: [3]))
    let refused = try #require(try await refusal(store, body(tuesday)))
    #expect(refused.code == "closed")
    #expect(
      refused.message == "El Capitan is closed on Tuesdays; 2027-06-02, 2027-06-03 and "
        + "2027-06-04 are free.")
    #expect(refused.choices?.first == "2027-06-02T18:00:00Z" && refused.choices?.count == 3)
    #expect(try await refusal(store, body(tuesday, status: "cancelled")) == nil)
    #expect(try await refusal(store, body(tuesday.addingTimeInterval(day))) == nil)
  }

  @Test("A user's visit at the time of another one is refused if that is the rule")
  func sameTime() async throws {
    let store = try store(VisitRules(allowsSameTime: false))
    let first = UUID()
    #expect(try await refusal(store, body(tuesday), first) == nil)
    let refused = try #require(try await refusal(store, body(tuesday, landmark: 1003)))
    #expect(refused.code == "double_booking" && refused.choices == nil)
    #expect(try await refusal(store, body(tuesday, landmark: 1003), user: "bob") == nil)
    #expect(try await refusal(store, body(tuesday, status: "cancelled"), first, .present) == nil)
    #expect(try await refusal(store, body(tuesday, landmark: 1003)) == nil)
  }

  @Test("Dates are free where the user may be: not at the time of another visit")
  func busy() async throws {
    let store = try store(VisitRules(closedWeekdays: [3], allowsSameTime: false))
    #expect(try await refusal(store, body(tuesday.addingTimeInterval(day), landmark: 1003)) == nil)
    let refused = try #require(try await refusal(store, body(tuesday)))
    #expect(refused.message.hasSuffix("; 2027-06-03, 2027-06-04 and 2027-06-05 are free."))
    #expect(refused.choices?.first == "2027-06-03T18:00:00Z")
    let another = try #require(try await refusal(store, body(tuesday), user: "bob"))
    #expect(another.choices?.first == "2027-06-02T18:00:00Z")
  }

  @Test("A device keeps a refused visit with the server's words and free dates, and can move it")
  func onDevice() async throws {
    let served = try store(VisitRules(placesADay: 1))
    let soon = Reservation.wholeMinutes(Date().addingTimeInterval(30 * day))
    try await withServer(store: served) { client async throws in
      _ = try await served.put(
        UUID(), ReservationBody(landmarkID: 1002, date: soon, status: "confirmed"), of: "bob", .none
      )
      let server = try #require(URL(string: client.address))
      let device = try AppSource(try LandmarkStore(file: nil), server: server, token: alice)
      _ = try await device.exchange()
      let made = try device.store.reserve(1002, on: soon)
      _ = try await device.exchange()
      let waiting = try await device.sync.waiting()
      let notice = try #require(try await device.sync.notices(waiting).first)
      #expect(notice.kind == .refused && notice.reservationID == made.id)
      #expect(notice.detail?.contains("are taken; ") == true)
      let choices = (1...3).map { soon.addingTimeInterval(Double($0) * day) }
      #expect(notice.choices == choices)
      let page = String(decoding: try await device.pageState(), as: UTF8.self)
      let times = choices.map { "\(Int($0.timeIntervalSince1970) * 1_000)" }.joined(separator: ",")
      #expect(page.components(separatedBy: #""choices":[\#(times)]"#).count == 3)
      try device.store.change(made.id, to: choices[0])
      _ = try await device.exchange()
      #expect(try await device.sync.waiting().isEmpty)
      #expect(try await served.reservations(of: "alice").map(\.id) == [made.id])
    }
  }
}
