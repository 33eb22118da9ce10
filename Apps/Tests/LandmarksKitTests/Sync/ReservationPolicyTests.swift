import Foundation
import Testing

@testable import LandmarksKit
@testable import SwiftDataSync

@Suite("Merging a reservation that both sides may have changed")
struct ReservationPolicyTests {
  private let id = UUID()

  private func mine(
    _ hours: Int, _ status: Reservation.Status = .confirmed, note: String = ""
  ) -> Reservation {
    Reservation(
      id: id, landmarkID: 1, date: Fixtures.noon.addingTimeInterval(Double(hours) * 3_600),
      status: status, note: note)
  }

  private func theirs(
    _ hours: Int, _ status: Reservation.Status = .confirmed, note: String = ""
  ) -> Reservation {
    mine(hours, status, note: note)
  }

  private func values(_ reservation: Reservation?) -> SyncValues? {
    reservation.map {
      [
        "landmarkID": .integer(Int64($0.landmarkID)), "status": .text($0.status.rawValue),
        "date": .real($0.date.timeIntervalSinceReferenceDate), "note": .text($0.note),
      ]
    }
  }

  private func merge(
    _ local: Reservation?, _ base: Reservation?, _ server: Reservation?
  ) -> (local: Reservation?, notice: SyncNotice?) {
    let result = ThreeWayMerge.merge(
      SyncObjectID("StoredReservation", id.uuidString), base: values(base), local: values(local),
      remote: values(server), policy: .custom(ReservationPolicy.decide))
    let merged = result.values.map { values in
      Reservation(
        id: id, landmarkID: Int(values["landmarkID"]?.number ?? 0),
        date: Date(timeIntervalSinceReferenceDate: values["date"]?.number ?? 0),
        status: values["status"]?.text.flatMap { Reservation.Status(rawValue: $0) } ?? .confirmed,
        note: values["note"]?.text ?? "")
    }
    return (merged, result.resolution.flatMap { SyncNotice($0) })
  }

  @Test("a change of one side alone is applied without a notice")
  func oneSide() {
    let base = theirs(0)
    #expect(merge(mine(0), base, theirs(3)).local == mine(3))
    #expect(merge(mine(5), base, base).local == mine(5))
    #expect(merge(mine(0), base, theirs(0, .cancelled)).local == mine(0, .cancelled))
    #expect(merge(mine(0, .cancelled), base, base).local == mine(0, .cancelled))
    for other in [merge(mine(0), base, theirs(3)), merge(mine(5), base, base)] {
      #expect(other.notice == nil)
    }
  }

  @Test("different properties are merged")
  func bothProperties() {
    let result = merge(mine(5), theirs(0), theirs(0, .cancelled))
    #expect(result.local == mine(5, .cancelled) && result.notice == nil)
    let other = merge(mine(0, .cancelled), theirs(0), theirs(5))
    #expect(other.local == mine(5, .cancelled) && other.notice == nil)
  }

  @Test("of two dates this device's is kept, with a notice of the other")
  func twoDates() {
    let result = merge(mine(5), theirs(0), theirs(3))
    #expect(result.local == mine(5))
    #expect(result.notice?.kind == .keptMyDate)
    #expect(result.notice?.mine == mine(5).date && result.notice?.theirs == mine(3).date)
    #expect(merge(mine(3), theirs(0), theirs(3)).notice == nil)
  }

  @Test("edits of a note are merged, with a notice if both changed the same lines")
  func notes() {
    let base = theirs(0, note: "Tickets\nWater")
    let apart = merge(
      mine(0, note: "Two tickets\nWater"), base, theirs(0, note: "Tickets\nWater\nTent"))
    #expect(apart.local == mine(0, note: "Two tickets\nWater\nTent") && apart.notice == nil)
    let same = merge(
      mine(0, note: "Two tickets\nWater"), base, theirs(0, note: "Three tickets\nWater"))
    #expect(same.local == mine(0, note: "Three tickets\nTwo tickets\nWater"))
    #expect(same.notice?.kind == .mergedNote && same.notice?.reservationID == id)
    // The date's notice comes first.
    let both = merge(
      mine(5, .cancelled, note: "Tent"), base, theirs(3, note: "Tickets\nWater\nFood"))
    #expect(both.local == mine(5, .cancelled, note: "Tent\nFood"))
    #expect(both.notice?.kind == .keptMyDate)
    // Both have made the same visit, after a lost answer, and noted something since.
    #expect(merge(mine(0, note: "b"), nil, theirs(0, note: "a")).local == mine(0, note: "a\nb"))
  }

  @Test("an edit wins over a removal, on either side")
  func editAndRemoval() {
    let base = theirs(0)
    let kept = merge(mine(5), base, nil)
    #expect(kept.local == mine(5) && kept.notice?.kind == .keptMyEdit)
    let restored = merge(nil, base, theirs(3))
    #expect(restored.local == mine(3) && restored.notice?.kind == .restoredTheirEdit)
  }

  @Test("removals of reservations that the other side left unchanged are carried out")
  func removals() {
    let base = theirs(0)
    #expect(merge(mine(0), base, nil).local == nil)
    #expect(merge(nil, base, base).local == nil)
    #expect(merge(nil, base, nil).notice == nil)
  }

  @Test("new reservations of either side stay, also when the answer to the first sending was lost")
  func insertions() {
    #expect(merge(mine(0), nil, nil).local == mine(0))
    #expect(merge(nil, nil, theirs(0)).local == mine(0))
    let repeated = merge(mine(0), nil, theirs(0))
    #expect(repeated.local == mine(0) && repeated.notice == nil)
  }

  @Test("a second merge of the result changes nothing more")
  func stable() {
    let states: [Reservation?] = [nil, mine(0), mine(5), mine(0, .cancelled), mine(5, .cancelled)]
    let servers: [Reservation?] = [
      nil, theirs(0), theirs(3), theirs(0, .cancelled), theirs(3, .cancelled),
    ]
    for local in states {
      for server in servers {
        for base in [nil, theirs(0), theirs(9)] {
          let once = merge(local, base, server)
          // The server's state is the new base.
          let twice = merge(once.local, server, server)
          #expect(twice.local == once.local && twice.notice == nil)
        }
      }
    }
  }
}
