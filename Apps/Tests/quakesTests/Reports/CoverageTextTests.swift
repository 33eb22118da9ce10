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
    until: String? = nil, magnitude: Double? = nil, search: String? = nil, store: String? = nil
  ) throws -> String? {
    let query = EventQuery(
      minimumMagnitude: magnitude,
      since: try since.map { try Moment.parse($0, now: now) },
      until: try until.map { try Moment.parse($0, now: now) },
      search: try search.map { try EventSearch($0, now: now) })
    return CoverageText.note(
      query, StoreCoverage(feeds: feeds, ranges: ranges), store: store, now: now)
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

  @Test("The command loads the magnitudes that were asked for, into this store, from its service")
  func command() throws {
    let day = try Self.feed("all_day")
    let start = "`quakes backfill --from 2024-05-06"
    let strong = try #require(try Self.note([day], magnitude: 4.5, store: "w.store"))
    #expect(strong.hasSuffix("\(start) --min-magnitude 4.5 --store w.store`."))
    let searched = try #require(try Self.note([day], search: "m>5", store: "a b's"))
    #expect(searched.hasSuffix("\(start) --min-magnitude 5.0 --store 'a b'\\''s'`."))
    #expect(try #require(try Self.note([day], magnitude: -1)).hasSuffix("\(start)`."))
    let ended = try #require(try Self.note([day], until: "2024-05-07T12:00"))
    #expect(ended.hasSuffix("\(start) --to 2024-05-08`."))
    // Into the feed's time, up to now.
    let present = try #require(try Self.note([day], until: "1h"))
    #expect(present.hasSuffix("\(start)`."))
    let ranges = [
      LoadedRange(
        .usgs, 1_735_689_600..<1_738_368_000, minimumMagnitude: nil, rule: .all, loaded: 0)
    ]
    let past = try #require(try Self.note([], ranges, until: "2025-01-01"))
    #expect(past.hasSuffix("\(start) --to 2025-01-01`."))
    let future = try #require(try Self.note([], ranges, until: "2026-01-01"))
    #expect(future.hasSuffix("\(start)`."))
    let other = LoadedRange(
      try EventService("http://127.0.0.1:8081"), 0..<86_400, minimumMagnitude: nil, rule: .all,
      loaded: 0)
    #expect(
      try #require(try Self.note([day], [other])).hasSuffix(
        "\(start) --service http://127.0.0.1:8081/fdsnws/event/1`."))
  }

  @Test("Ranges that touch are told as one, and of many the longest")
  func ranges() throws {
    let day = 86_400
    let times = [0..<100 * day] + (0..<5).map { 100 * day + $0..<100 * day + $0 + 1 }
    let ranges = times.map {
      LoadedRange(.usgs, $0, minimumMagnitude: 4.5, rule: .all, loaded: $0.upperBound)
    }
    let note = try #require(try Self.note([], ranges, since: "1960-01-01"))
    #expect(
      note.hasPrefix(
        "The store is complete for 1970-01-01 to 1970-04-11 00:00:05, M 4.5+ only; "))
    let lengths = [1, 50, 2, 60, 40]
    let apart = lengths.enumerated().map { place, length in
      LoadedRange(
        .usgs, place * 100 * day..<(place * 100 + length) * day, minimumMagnitude: nil, rule: .all,
        loaded: 0)
    }
    let longest = try #require(try Self.note([], apart, since: "1960-01-01"))
    #expect(
      longest.contains(
        "for 1970-04-11 to 1970-05-31; 1970-10-28 to 1970-12-27; 1971-02-05 to 1971-03-17; 2 more"))
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
