import Foundation
import Testing

@testable import LandmarksKit

@Suite("What becomes of a reservation that both sides may have changed")
struct ReservationMergeTests {
  private let id = UUID()

  private func mine(_ hours: Int, _ status: Reservation.Status = .confirmed) -> Reservation {
    Reservation(
      id: id, landmarkID: 1, date: Fixtures.noon.addingTimeInterval(Double(hours) * 3_600),
      status: status)
  }

  private func theirs(
    _ hours: Int, _ status: Reservation.Status = .confirmed, revision: Int = 2
  ) -> ReservationAnswer {
    let reservation = mine(hours, status)
    return ReservationAnswer(
      id: id, landmarkID: 1, date: reservation.date, status: status.rawValue, revision: revision)
  }

  private func merge(
    _ local: Reservation?, _ base: ReservationAnswer?, _ server: ReservationAnswer?
  ) -> ReservationMerge {
    let merge = ReservationMerge(local: local, base: base, server: server, now: Fixtures.now)
    #expect(merge.base == server, "the server's state is always the new base")
    return merge
  }

  @Test("what one side alone changed is taken, without a word")
  func oneSide() {
    let base = theirs(0, revision: 1)
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
    let result = merge(mine(5), theirs(0, revision: 1), theirs(0, .cancelled))
    #expect(result.local == mine(5, .cancelled) && result.notice == nil)
    let other = merge(mine(0, .cancelled), theirs(0, revision: 1), theirs(5))
    #expect(other.local == mine(5, .cancelled) && other.notice == nil)
  }

  @Test("of two dates this device's is kept, and the other is told")
  func twoDates() {
    let result = merge(mine(5), theirs(0, revision: 1), theirs(3))
    #expect(result.local == mine(5))
    #expect(result.notice?.kind == .keptMyDate)
    #expect(result.notice?.mine == mine(5).date && result.notice?.theirs == mine(3).date)
    #expect(merge(mine(3), theirs(0, revision: 1), theirs(3)).notice == nil)
  }

  @Test("an edit beats a removal, whichever side made it")
  func editAndRemoval() {
    let base = theirs(0, revision: 1)
    let kept = merge(mine(5), base, nil)
    #expect(kept.local == mine(5) && kept.notice?.kind == .keptMyEdit)
    let restored = merge(nil, base, theirs(3))
    #expect(restored.local == mine(3) && restored.notice?.kind == .restoredTheirEdit)
  }

  @Test("removals of what the other side left alone are carried out")
  func removals() {
    let base = theirs(0, revision: 1)
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
    let servers: [ReservationAnswer?] = [
      nil, theirs(0), theirs(3), theirs(0, .cancelled), theirs(3, .cancelled),
    ]
    let bases: [ReservationAnswer?] = [nil, theirs(0, revision: 1), theirs(9, revision: 1)]
    for local in states {
      for server in servers {
        for base in bases {
          let once = merge(local, base, server)
          let twice = merge(once.local, once.base, server)
          #expect(twice.local == once.local && twice.notice == nil)
        }
      }
    }
  }
}
