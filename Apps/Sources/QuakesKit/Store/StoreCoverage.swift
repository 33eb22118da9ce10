import Foundation
import LocalCopy
import SwiftData

/// The times of which a store has events, as far as that is known: of the summary feeds that were loaded into it, and
/// of what back-fills have loaded. Events of other documents, such as files, may be of any time.
public struct StoreCoverage: Sendable {
  /// What a summary feed had when it was last loaded.
  public struct Feed: Hashable, Sendable {
    /// The name of the feed.
    public var name: FeedName
    /// The time at which it was last loaded, or confirmed by its server.
    public var until: Date

    /// Creates the coverage of a feed.
    public init(name: FeedName, until: Date) {
      self.name = name
      self.until = until
    }

    /// The start of the feed's window.
    public var since: Date { until.addingTimeInterval(-name.window) }

    /// The least magnitude that the feed lists; nil for all, and infinite where it goes by significance.
    public var leastMagnitude: Double? {
      switch name.level {
      case .all: nil
      case .magnitude(let least): least
      case .significance: .infinity
      }
    }
  }

  /// The feeds, that with the earliest window first.
  public let feeds: [Feed]
  /// The ranges of back-fills, oldest first.
  public let ranges: [LoadedRange]

  /// Creates a coverage.
  public init(feeds: [Feed], ranges: [LoadedRange]) {
    self.feeds = feeds.sorted { ($0.since, $0.name.description) < ($1.since, $1.name.description) }
    self.ranges = ranges
  }

  /// Returns whether the times that a query asks for begin before, or between, what the store has, although it has
  /// later ones. False for a query without such times, and for a store of which nothing is known.
  public func beginsAfterStart(of query: EventQuery) -> Bool {
    let (since, until) = query.askedTimes
    guard since != nil || until != nil else { return false }
    let start = since ?? .distantPast
    let least = query.leastMagnitude
    let spans =
      feeds.map { ($0.since, $0.until, $0.leastMagnitude) }
      + ranges.map { ($0.since, $0.until, $0.minimumMagnitude) }
    // What was loaded before the asked times says nothing about them.
    let later = spans.filter { $0.1 > start }
    guard !later.isEmpty else { return false }
    return !later.contains { since, _, magnitude in
      since <= start && (magnitude.map { $0 <= least ?? -.infinity } ?? true)
    }
  }
}

extension EventQuery {
  /// The times that the query and the terms of its search ask for; nil where they set no limit.
  public var askedTimes: (since: Date?, until: Date?) {
    var (starts, ends) = ([since].compactMap { $0 }, [until].compactMap { $0 })
    for term in search?.terms ?? [] {
      switch (term.meaning, term.isNegated) {
      case (.since(let time), false), (.until(let time), true): starts.append(time)
      case (.until(let time), false), (.since(let time), true): ends.append(time)
      default: break
      }
    }
    return (starts.max(), ends.min())
  }

  /// The least magnitude that the query and the terms of its search ask for; nil for all.
  public var leastMagnitude: Double? {
    var limits = [minimumMagnitude]
    for term in search?.terms ?? [] where !term.isNegated {
      if case .magnitude(let bounds) = term.meaning { limits += [bounds.least, bounds.above] }
    }
    return limits.compactMap { $0 }.max()
  }
}

extension QuakeStore {
  /// Returns the times of which the store has events.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func coverage() throws -> StoreCoverage {
    var newest: [FeedName: Date] = [:]
    for name in try loadedFeeds() {
      // A suffix of the address, such as a digest of its query, begins with a blank.
      guard let url = URL(string: String(name.prefix { $0 != " " })), !url.isFileURL,
        let feed = FeedName(url.deletingPathExtension().lastPathComponent),
        let time = try container.lastGood(ofCopyNamed: name)
      else { continue }
      newest[feed] = max(newest[feed] ?? time, time)
    }
    return StoreCoverage(
      feeds: newest.map { StoreCoverage.Feed(name: $0, until: $1) }, ranges: try loadedRanges())
  }

  /// Returns the names of the copies that programs have loaded: each has had a lease.
  private func loadedFeeds() throws -> [String] {
    try reading { context in try context.fetch(FetchDescriptor<FeedLease>()).map(\.feed) }
  }
}
