import Foundation
import Testing

@testable import LocalCopy

@Suite("The state of a copy")
struct FreshnessMachineTests {
  static let zero = Date(timeIntervalSince1970: 1000)

  private func at(_ seconds: Double) -> Date { Self.zero.addingTimeInterval(seconds) }

  @Test("Without a copy it is empty, and stale") func empty() {
    let machine = FreshnessMachine(maximumAge: .seconds(60), lastGood: nil)
    #expect(machine.state(at: at(0)) == .empty)
    #expect(machine.isStale(at: at(0)))
    #expect(machine.untilChange(at: at(0)) == nil)
  }

  @Test("A copy is fresh until its maximal age, then stale") func ageing() {
    let machine = FreshnessMachine(maximumAge: .seconds(60), lastGood: Self.zero)
    #expect(machine.state(at: at(0)) == .fresh(since: Self.zero))
    #expect(machine.state(at: at(59.9)) == .fresh(since: Self.zero))
    #expect(machine.untilChange(at: at(15)) == 45)
    #expect(machine.state(at: at(60)) == .stale(since: Self.zero))
    #expect(machine.untilChange(at: at(60)) == nil)
  }

  @Test("A copy from the future is stale: the clock was set back") func future() {
    let machine = FreshnessMachine(maximumAge: .seconds(60), lastGood: at(10))
    #expect(machine.state(at: at(0)) == .stale(since: at(10)))
    #expect(machine.untilChange(at: at(4)) == 6)
    #expect(machine.state(at: at(10)) == .fresh(since: at(10)))
    #expect(machine.untilChange(at: at(10)) == 60)
  }

  @Test("With no maximal age, or one below zero, a copy is always stale", arguments: [0, -1])
  func noAge(seconds: Int) {
    let machine = FreshnessMachine(maximumAge: .seconds(seconds), lastGood: Self.zero)
    #expect(machine.state(at: at(0)) == .stale(since: Self.zero))
    #expect(machine.isStale(at: at(5)))
    #expect(machine.untilChange(at: at(0)) == nil)
  }

  @Test("A refresh shows its progress, then the new copy") func refreshing() {
    var machine = FreshnessMachine(maximumAge: .seconds(60), lastGood: Self.zero)
    machine.started()
    #expect(machine.state(at: at(100)) == .refreshing(RefreshProgress(), lastGood: Self.zero))
    let progress = RefreshProgress(bytesReceived: 5, bytesExpected: 10, elements: 1)
    machine.progressed(progress)
    #expect(machine.state(at: at(101)) == .refreshing(progress, lastGood: Self.zero))
    machine.succeeded(lastGood: at(101))
    #expect(machine.state(at: at(102)) == .fresh(since: at(101)))
    machine.progressed(progress)
    #expect(machine.state(at: at(102)) == .fresh(since: at(101)))
  }

  @Test("A failure stays until the next success; cancelling changes nothing") func failure() {
    var machine = FreshnessMachine(maximumAge: .seconds(60), lastGood: Self.zero)
    let error = LocalCopyError(.connectionFailed, reason: "no route", advice: "wait")
    machine.started()
    machine.failed(error, at: at(5))
    let offline = LocalCopyState.offline(error, at: at(5), lastGood: Self.zero)
    #expect(machine.state(at: at(200)) == offline)
    machine.started()
    machine.cancelled()
    #expect(machine.state(at: at(200)) == offline)
    machine.started()
    machine.succeeded(lastGood: at(201))
    #expect(machine.state(at: at(201)) == .fresh(since: at(201)))
  }

  @Test("Every state has the last good copy") func lastGood() {
    let error = LocalCopyError(.timedOut, reason: "", advice: "")
    let date = Self.zero
    #expect(LocalCopyState.empty.lastGood == nil)
    #expect(LocalCopyState.fresh(since: date).lastGood == date)
    #expect(LocalCopyState.stale(since: date).lastGood == date)
    #expect(LocalCopyState.refreshing(RefreshProgress(), lastGood: date).lastGood == date)
    #expect(LocalCopyState.offline(error, at: date, lastGood: date).lastGood == date)
  }
}
