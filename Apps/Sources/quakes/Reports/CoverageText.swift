import Foundation
import LocalApp
import QuakesKit

/// The sentence about times that a user asks for and of which the store may lack events.
enum CoverageText {
  /// The maximum number of ranges of back-fills that are named, the longest ones.
  private static let mostRanges = 3
  /// The age of a feed, in seconds, up to which its window is that of now.
  private static let fresh = 3_600.0

  /// Prints the sentence, if the query's times begin before what the store has.
  /// - Parameter option: The store as the user has named it; nil for the usual one.
  static func tell(
    _ query: EventQuery, _ store: QuakeStore, option: String?, now: Date = Date()
  ) {
    let asked = query.askedTimes
    guard asked.since != nil || asked.until != nil else { return }
    do {
      let named = option == nil ? nil : namedStore(store.location, option)
      if let text = note(query, try store.coverage(), store: named, now: now) { complain(text) }
    } catch {
      // The events themselves can be read all the same.
      complain("The times that the store covers cannot be told: \(error)")
    }
  }

  /// Returns a store as a command has it; an address without its passwords.
  static func namedStore(_ location: StoreLocation, _ option: String?) -> String? {
    if case .server = location { return option.map { _ in location.description } }
    return option
  }

  /// Returns the sentence; nil when none is needed.
  /// - Parameter store: The store as the command of the sentence has to name it; nil for the usual one.
  static func note(
    _ query: EventQuery, _ coverage: StoreCoverage, store: String? = nil, now: Date
  ) -> String? {
    guard coverage.beginsAfterStart(of: query) else { return nil }
    var parts = coverage.feeds.filter { feed in
      !coverage.feeds.contains { $0 != feed && includes($0, feed) }
    }.map { text($0, now: now) }
    let told = coverage.ranges.told
    let longest = told.sorted { $0.seconds.count > $1.seconds.count }.prefix(mostRanges)
    parts += told.filter(longest.contains).map { range in
      "\(RangeText.times(range.seconds))\(range.minimumMagnitude.map { ", M \($0)+" } ?? "")"
    }
    let others = told.count - longest.count
    if others > 0 {
      parts.append("\(others) more range\(others == 1 ? "" : "s") that `quakes coverage` shows")
    }
    return "The store is complete for \(parts.joined(separator: "; ")) only; older earthquakes: "
      + "`\(command(query, coverage, store: store, now: now))`."
  }

  /// Returns the command that loads what a query asks for, and no more, from the service of the store's ranges.
  private static func command(
    _ query: EventQuery, _ coverage: StoreCoverage, store: String?, now: Date
  ) -> String {
    let (since, until) = query.askedTimes
    var words = ["quakes backfill --from \(since.map(day) ?? "TIME")"]
    // Up to now when the times reach into a feed's, or the gap between both would grow.
    let feeds = coverage.feeds.map(\.since).min() ?? now
    if let until, since == nil || until < feeds {
      // A part of the last day is asked for with all of it.
      words.append("--to \(day(until.addingTimeInterval(86_399.999)))")
    }
    // Without one, or with one of zero and below, the service is asked for all.
    if let least = query.leastMagnitude, least > 0, least <= 10 {
      words.append("--min-magnitude \(least)")
    }
    let services = Set(coverage.ranges.map(\.service))
    if let service = services.first, services.count == 1,
      service != EventService.usgs.description
    {
      words.append("--service \(shell(service))")
    }
    if let store { words.append("--store \(shell(store))") }
    return words.joined(separator: " ")
  }

  /// Returns a word as shells read it.
  static func shell(_ word: String) -> String {
    let plain = PlainText.neutralised(word)
    guard plain.wholeMatch(of: /[A-Za-z0-9_\/.:@%+=,-]+/) == nil else { return plain }
    return "'" + plain.replacing("'", with: #"'\''"#) + "'"
  }

  /// Whether a feed has all that another one has.
  private static func includes(_ feed: StoreCoverage.Feed, _ other: StoreCoverage.Feed) -> Bool {
    feed.since <= other.since && feed.until >= other.until
      && feed.leastMagnitude ?? -.infinity <= other.leastMagnitude ?? -.infinity
  }

  private static func text(_ feed: StoreCoverage.Feed, now: Date) -> String {
    let name = feed.name.description
    let window = name.split(separator: "_").last.map(String.init) ?? name
    let level = name.prefix { $0 != "_" }
    let events =
      switch level {
      case "all": ""
      case "significant": ", significant events"
      default: ", M \(level)+"
      }
    guard abs(now.timeIntervalSince(feed.until)) > fresh else {
      return "the past \(window)\(events)"
    }
    let end = Timestamp.iso8601(feed.until).prefix(16).replacingOccurrences(of: "T", with: " ")
    return "the \(window) before \(end) UTC\(events)"
  }

  private static func day(_ time: Date) -> String {
    String(Timestamp.iso8601(time).prefix { $0 != "T" })
  }
}
