import DemoFeed
import Foundation
import Testing

@testable import ProgramTesting
@testable import QuakesKit
@testable import quakes

@Suite("What is told of times that the store may lack", .timeLimit(.minutes(20)))
struct CoverageTextTests {
  private static let now = Date(timeIntervalSince1970: 1_750_000_000)

  private static func feed(_ name: String, ago: Double = 60) throws -> StoreCoverage.Feed {
    StoreCoverage.Feed(name: try #require(FeedName(name)), until: now.addingTimeInterval(-ago))
  }

  private static func note(
    _ feeds: [StoreCoverage.Feed], _ ranges: [LoadedRange] = [], since: String? = "2024-05-06",
    until: String? = nil
  ) throws -> String? {
    let query = EventQuery(
      since: try since.map { try Moment.parse($0, now: now) },
      until: try until.map { try Moment.parse($0, now: now) })
    return CoverageText.note(query, StoreCoverage(feeds: feeds, ranges: ranges), now: now)
  }

  @Test("It names the feeds and ranges, and the command that loads what is missing")
  func notes() throws {
    #expect(
      try Self.note([Self.feed("all_day")])
        == "The store is complete for the past day only; older earthquakes: "
        + "`quakes backfill --from 2024-05-06`.")
    let range = LoadedRange(
      .usgs, 1_577_836_800..<1_609_459_200, minimumMagnitude: 2.5, rule: .all, loaded: 0)
    #expect(
      try Self.note(
        [
          Self.feed("all_day"), Self.feed("all_hour"), Self.feed("4.5_week", ago: 7_200),
          Self.feed("significant_month"),
        ], [range], since: nil, until: "2020-02-01")
        == "The store is complete for the past month, significant events; "
        + "the week before 2025-06-15 13:06 UTC, M 4.5+; the past day; "
        + "2020-01-01 to 2021-01-01, M 2.5+ only; older earthquakes: "
        + "`quakes backfill --from TIME --to 2020-02-01`.")
    let ranges = (0..<5).map { year in
      LoadedRange(
        .usgs, year * 1_000..<year * 1_000 + 500, minimumMagnitude: nil, rule: .all, loaded: 0)
    }
    let many = try #require(try Self.note([], ranges, since: "1960-01-01"))
    #expect(many.contains("; 2 more ranges that `quakes coverage` shows only; "))
    #expect(try Self.note([Self.feed("all_day")], since: "1h") == nil)
  }

  @Test("`list` and `stats` tell it on the standard error, and only then")
  func commands() async throws {
    try await DemoFeedServer(DemoFeedServerTests.settings).whileRunning { base in
      let place = try CommandTests.Workplace()
      let feed = base + DemoFeedServerTests.day
      #expect(try await place.program.run("refresh", "--feed", feed).code == 0)
      let note = "The store is complete for the past day only; older earthquakes: `quakes backfill"
      for arguments in [
        ["list", "--since", "2020-01-01"], ["list", "--search", "since:2020", "--json"],
        ["list", "--since", "7d", "--format", "csv"], ["stats", "--until", "2100-01-01"],
        ["near", "tokyo", "--since", "7d"],
      ] {
        let outcome = try await place.program.run(arguments: arguments)
        #expect(outcome.code == 0 && outcome.errors.contains(note), "\(arguments): \(outcome)")
        #expect(!outcome.output.contains("complete"))
      }
      for arguments in [
        ["list"], ["list", "--since", "23h"], ["stats"], ["stats", "--search", "m>1"],
      ] {
        let outcome = try await place.program.run(arguments: arguments)
        #expect(!outcome.errors.contains("complete"), "\(arguments): \(outcome)")
      }
      let range = ["backfill", "--from", "2025-01-01", "--service", base]
      #expect(try await place.program.run(arguments: range).code == 0)
      let covered = try await place.program.run("list", "--since", "2025-02-01", "--json")
      #expect(covered.errors.isEmpty)
    }
  }
}
