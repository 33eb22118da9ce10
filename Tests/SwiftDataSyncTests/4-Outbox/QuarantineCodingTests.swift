import Foundation
import Testing

@testable import SwiftDataSync

@Suite("The stored form of quarantined changes")
struct QuarantineCodingTests {
  private let date = Date(timeIntervalSince1970: 1_811_872_800)

  @Test("a rejection keeps its details; those of earlier versions, and null, are none")
  func details() throws {
    var rejection = SyncRejection(code: "refused", message: "No place is left.")
    let bare = SyncQuarantine(reason: .rejected(rejection), date: date, change: nil)
    #expect(try SyncQuarantine(json: bare.json) == bare)
    guard case .object(var members) = bare.json else {
      Issue.record("no object")
      return
    }
    // Stores of earlier versions have these members.
    #expect(Set(members.keys) == ["date", "isUncertain", "reason", "code", "message"])
    members["details"] = .null
    #expect(try SyncQuarantine(json: .object(members)) == bare)
    rejection.details = .object(["choices": .list([.text("2027-06-02T18:00:00Z")])])
    let detailed = SyncQuarantine(reason: .rejected(rejection), date: date, change: nil)
    #expect(try SyncQuarantine(json: detailed.json) == detailed && detailed != bare)
  }
}
