import Foundation
import QuakesKit
import Testing

@testable import quakes

@Suite("Options that filter events")
struct EventFiltersTests {
  @Test("a range of times that is empty is refused, but not one that has become so while watched")
  func emptyRange() throws {
    let filters = try EventFilters.parse(["--since", "24h", "--until", "2025-06-15"])
    let end = try #require(filters.query(now: Date(timeIntervalSince1970: 1_749_900_000)).until)
    let later = end.addingTimeInterval(86_400)
    #expect(throws: QuakesError.self) { try filters.query(now: later) }
    let query = try WatchCommand.query(filters, now: later)
    #expect(query.since == end && query.until == end)
  }
}
