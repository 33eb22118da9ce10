import ArgumentParser
import Foundation
import QuakesKit

/// The options that filter events.
struct EventFilters: ParsableArguments {
  @Option(help: ArgumentHelp("Only events of at least this magnitude.", valueName: "number"))
  var minMagnitude: Double?

  @Option(
    help: ArgumentHelp(
      "Only events since then: 30m, 24h, 7d, or an ISO 8601 date such as 2026-01-31.",
      valueName: "time"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      """
      Only events that all of these words fit: parts of places, countries and states (japan, JPN, CA), kinds of \
      events, magnitudes (6.4, m6, 4.5+), days and months in UTC (2026-05-03, 2026-05).
      """, valueName: "words"))
  var search: String?

  @Flag(help: "Also events that were withdrawn: deleted by their network, or gone from the feed.")
  var withdrawn = false

  func validate() throws {
    if let minMagnitude, !minMagnitude.isFinite {
      throw ValidationError("--min-magnitude takes a number such as 2.5.")
    }
  }

  /// Returns the query for the events, newest first.
  /// - Throws: ``QuakesError`` for an invalid time.
  func query(now: Date) throws -> EventQuery {
    EventQuery(
      minimumMagnitude: minMagnitude, since: try since.map { try Moment.parse($0, now: now) },
      search: search, includesWithdrawn: withdrawn)
  }

  /// A description of the filter for users; empty when there is none.
  var shown: String {
    [
      minMagnitude.map { "magnitude ≥ \($0)" }, since.map { "since \($0)" },
      search.map { "“\($0)”" }, withdrawn ? "withdrawn ones, too" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
  }
}
