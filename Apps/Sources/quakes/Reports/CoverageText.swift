import Foundation
import LocalApp
import QuakesKit

/// The sentence about times that a user asks for and of which the store may lack events.
enum CoverageText {
  /// The maximum number of ranges of back-fills that are named, the latest ones.
  private static let mostRanges = 3
  /// The age of a feed, in seconds, up to which its window is that of now.
  private static let fresh = 3_600.0

  /// Prints the sentence, if the query's times begin before what the store has.
  static func tell(_ query: EventQuery, _ store: QuakeStore, now: Date = Date()) {
    let asked = query.askedTimes
    guard asked.since != nil || asked.until != nil else { return }
    do {
      if let text = note(query, try store.coverage(), now: now) { complain(text) }
    } catch {
      // The events themselves can be read all the same.
      complain("The times that the store covers cannot be told: \(error)")
    }
  }

  /// Returns the sentence; nil when none is needed.
  static func note(_ query: EventQuery, _ coverage: StoreCoverage, now: Date) -> String? {
    guard coverage.beginsAfterStart(of: query) else { return nil }
    var parts = coverage.feeds.filter { feed in
      !coverage.feeds.contains { $0 != feed && includes($0, feed) }
    }.map { text($0, now: now) }
    let ranges = coverage.ranges.suffix(mostRanges)
    parts += ranges.map { range in
      "\(RangeText.times(range.seconds))\(range.minimumMagnitude.map { ", M \($0)+" } ?? "")"
    }
    let others = coverage.ranges.count - ranges.count
    if others > 0 {
      parts.append("\(others) more range\(others == 1 ? "" : "s") that `quakes coverage` shows")
    }
    let (since, until) = query.askedTimes
    let from = since.map(day) ?? "TIME"
    let to = since == nil ? until.map { " --to \(day($0))" } ?? "" : ""
    return "The store is complete for \(parts.joined(separator: "; ")) only; older earthquakes: "
      + "`quakes backfill --from \(from)\(to)`."
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
