import Foundation
import Testing

@testable import QuakesKit

@Suite("The times that a store covers")
struct StoreCoverageTests {
  private static let now = Date(timeIntervalSince1970: 1_750_000_000)

  private static func feed(_ name: String, ago: Double = 0) throws -> StoreCoverage.Feed {
    StoreCoverage.Feed(name: try #require(FeedName(name)), until: now.addingTimeInterval(-ago))
  }

  private static func range(_ since: String, _ until: String, _ least: Double?) throws
    -> LoadedRange
  {
    let times = try [since, until].map {
      Int(try Moment.parse($0, now: now).timeIntervalSince1970)
    }
    return LoadedRange(
      .usgs, times[0]..<times[1], minimumMagnitude: least, rule: .all, loaded: 0)
  }

  private static func query(_ since: String?, magnitude: Double? = nil, search: String? = nil)
    throws -> EventQuery
  {
    EventQuery(
      minimumMagnitude: magnitude, since: try since.map { try Moment.parse($0, now: now) },
      search: try search.map { try EventSearch($0, now: now) })
  }

  @Test("A start before the feed's window isn't covered, one in it or after it is")
  func feeds() throws {
    let day = StoreCoverage(feeds: [try Self.feed("all_day")], ranges: [])
    #expect(try day.beginsAfterStart(of: Self.query("7d")))
    #expect(try day.beginsAfterStart(of: Self.query("25h")))
    #expect(try !day.beginsAfterStart(of: Self.query("24h")))
    #expect(try !day.beginsAfterStart(of: Self.query("1h")))
    #expect(try !day.beginsAfterStart(of: Self.query(nil)))
    let both = StoreCoverage(
      feeds: [try Self.feed("all_day"), try Self.feed("all_week", ago: 3_600)], ranges: [])
    #expect(try !both.beginsAfterStart(of: Self.query("7d")))
    // A feed that was loaded before the asked times: its age is another matter.
    let old = StoreCoverage(feeds: [try Self.feed("all_day", ago: 5 * 86_400)], ranges: [])
    #expect(try !old.beginsAfterStart(of: Self.query("24h")))
    #expect(try !StoreCoverage(feeds: [], ranges: []).beginsAfterStart(of: Self.query("7d")))
  }

  @Test("A feed or a range with strong earthquakes covers what asks for such only")
  func magnitudes() throws {
    let strong = StoreCoverage(
      feeds: [try Self.feed("4.5_month"), try Self.feed("significant_month")],
      ranges: [try Self.range("2016-01-01", "2025-06-01", 2.5)])
    #expect(try strong.beginsAfterStart(of: Self.query("7d")))
    #expect(try !strong.beginsAfterStart(of: Self.query("7d", magnitude: 4.5)))
    #expect(try !strong.beginsAfterStart(of: Self.query("7d", search: "m>=4.5")))
    #expect(try strong.beginsAfterStart(of: Self.query("7d", search: "-m>=4.5")))
    #expect(try strong.beginsAfterStart(of: Self.query("2020-01-01")))
    #expect(try !strong.beginsAfterStart(of: Self.query("2020-01-01", magnitude: 3)))
    #expect(try strong.beginsAfterStart(of: Self.query("2015-01-01", magnitude: 3)))
  }

  @Test("A start between two ranges isn't covered; nor is one without a beginning")
  func gaps() throws {
    let coverage = StoreCoverage(
      feeds: [try Self.feed("all_day")], ranges: [try Self.range("2016-01-01", "2020-01-01", nil)])
    #expect(try !coverage.beginsAfterStart(of: Self.query("2018-01-01")))
    #expect(try coverage.beginsAfterStart(of: Self.query("2021-01-01")))
    var query = EventQuery()
    query.until = try Moment.parse("2018-01-01", now: Self.now)
    #expect(coverage.beginsAfterStart(of: query))
  }

  @Test("The terms of a search ask for times as the query's own limits do")
  func asked() throws {
    let query = try Self.query("30d", search: "since:7d until:1h -until:10d -since:2h m>3 -m>4")
    #expect(query.askedTimes.since == Self.now.addingTimeInterval(-7 * 86_400))
    #expect(query.askedTimes.until == Self.now.addingTimeInterval(-7_200))
    #expect(query.leastMagnitude == 3)
    let none = try Self.query(nil, search: "california").askedTimes
    #expect(none.since == nil && none.until == nil)
  }

  @Test("The store knows the feeds that were loaded, by the rules for magnitudes too, not files")
  func stored() async throws {
    let store = try QuakeStore(file: nil)
    #expect(try store.coverage().feeds.isEmpty)
    for (address, rule) in [
      ("http://127.0.0.1:1/all_day.geojson", MagnitudeRule.all),
      ("http://127.0.0.1:1/events.geojson", .aboveZero),
    ] {
      // It fails, but has had a lease.
      let feed = try QuakeFeed(FeedSelection(address), into: store, rule: rule) {
        $0.http.retry.maximumAttempts = 1
      }
      do { try await feed.refresh() } catch {}
    }
    #expect(try store.coverage().feeds.isEmpty)
  }
}
