import ArgumentParser
import Foundation
import QuakesKit

/// The options that filter events.
struct EventFilters: ParsableArguments {
  @Option(help: ArgumentHelp("Only events of at least this magnitude.", valueName: "number"))
  var minMagnitude: Double?

  @Option(help: ArgumentHelp("Only events of at most this magnitude.", valueName: "number"))
  var maxMagnitude: Double?

  @Option(
    help: ArgumentHelp(
      "Only events since then: 30m, 24h, 7d, or a time in UTC such as 2026-01-31T12:00, 2026-01-31 or 2026.",
      valueName: "time"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      "Only events before then, in the same forms: 2026-02 ends with January.",
      valueName: "time"))
  var until: String?

  @Option(
    help: ArgumentHelp(
      "Only events at least so many kilometres deep; one above sea level needs a =: --min-depth=-5.",
      valueName: "kilometres"))
  var minDepth: Double?

  @Option(
    help: ArgumentHelp("Only events at most so many kilometres deep.", valueName: "kilometres"))
  var maxDepth: Double?

  @Option(
    help: ArgumentHelp(
      """
      Only events between two corners, south-west and north-east, in degrees: 32,-125..42,-114. One that begins with \
      a - needs a =, as in --box=-30,170..-10,-170, which crosses the date line.
      """, valueName: "corners"))
  var box: String?

  @Option(
    help: ArgumentHelp(
      "Only this kind of event, or a part of its name: earthquake, 'quarry blast', explosion.",
      valueName: "kind"))
  var type: String?

  @Option(
    help: ArgumentHelp(
      """
      Only events that all of these terms fit: parts of places, countries and states (japan, JPN, CA), kinds of \
      events, magnitudes (6.4, m6, 4.5+), days and months in UTC (2026-05-03, 2026-05), m>4, m:4..5, depth<30, \
      since:7d, until:2026-05, type:blast, status:reviewed, id:…, near:tokyo or near:35.7,139.7 with a radius behind \
      it (300km, 200mi; 100km without), box:32,-125..42,-114, section:35.5,139..38,145 or section:tokyo..sendai with \
      the distance on each side of the line behind it (50km without), "san francisco", and with a - in front what \
      doesn't fit.
      """, valueName: "terms"))
  var search: String?

  @Flag(help: "Also events that were withdrawn: deleted by their network, or gone from the feed.")
  var withdrawn = false

  func validate() throws {
    let numbers = [
      ("--min-magnitude", minMagnitude, "2.5"), ("--max-magnitude", maxMagnitude, "2.5"),
      ("--min-depth", minDepth, "70"), ("--max-depth", maxDepth, "70"),
    ]
    for (name, value, example) in numbers where value?.isFinite == false {
      throw ValidationError("\(name) takes a number such as \(example).")
    }
    try Self.checkOrder("magnitude", minMagnitude, maxMagnitude)
    try Self.checkOrder("depth", minDepth, maxDepth)
    if let type, type.wholeMatch(of: /[\p{L}\p{N}_-][\p{L}\p{N} _-]*/) == nil {
      throw ValidationError("--type takes a kind of event, such as 'quarry blast'.")
    }
  }

  private static func checkOrder(_ name: String, _ least: Double?, _ most: Double?) throws {
    guard let least, let most, least > most else { return }
    throw ValidationError("The range is empty: --min-\(name) is greater than --max-\(name).")
  }

  /// Returns the query for the events, newest first.
  /// - Parameters:
  ///   - now: The time from which spans count back.
  ///   - more: A term in addition to those of the search.
  ///   - refusesEmpty: Whether a range of times that is empty at this time is an error.
  /// - Throws: ``QuakesError`` for an invalid time or box, ``SearchError`` for an invalid search.
  func query(
    now: Date, and more: String? = nil, refusesEmpty: Bool = true
  ) throws -> EventQuery {
    let kind = type.map { "type:" + $0.replacingOccurrences(of: " ", with: "_") }
    let parts = [search, more, kind].compactMap { $0 }.filter { !$0.isEmpty }
    let start = try since.map { try Moment.parse($0, now: now, of: "--since") }
    let end = try until.map { try Moment.parse($0, now: now, of: "--until") }
    if refusesEmpty, let since, let start, let end, start >= end {
      throw QuakesError(
        .invalidArgument, "--since \(since)",
        reason: "the range is empty; --until is the later time")
    }
    return EventQuery(
      minimumMagnitude: minMagnitude, maximumMagnitude: maxMagnitude,
      since: start, until: end,
      minimumDepth: minDepth, maximumDepth: maxDepth,
      box: try box.map { try EventBox(option: $0) },
      search: parts.isEmpty ? nil : try EventSearch(parts: parts, now: now),
      includesWithdrawn: withdrawn)
  }

  /// A description of the filter for users; empty when there is none.
  var shown: String {
    [
      minMagnitude.map { "magnitude ≥ \($0)" }, maxMagnitude.map { "magnitude ≤ \($0)" },
      since.map { "since \($0)" }, until.map { "before \($0)" },
      minDepth.map { "depth ≥ \($0) km" }, maxDepth.map { "depth ≤ \($0) km" },
      box.map { "between \($0)" }, type.map { "type \($0)" }, search.map { "“\($0)”" },
      withdrawn ? "withdrawn ones, too" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

extension SearchError {
  /// Returns the error of an option or argument whose value is a part of a search.
  /// - Parameter name: The name of the option, or the argument's own text.
  func of(_ name: String) -> QuakesError {
    QuakesError(
      .invalidArgument, name.hasPrefix("--") ? "\(name) \(term)" : name, reason: reason)
  }
}

extension EventBox {
  /// Reads the value of `--box`, which the error names.
  fileprivate init(option: String) throws {
    do { try self.init(option, term: option) } catch { throw error.of("--box") }
  }
}

extension Moment {
  /// Reads the value of an option, which the error names.
  /// - Throws: ``QuakesError`` when it is no time.
  static func parse(_ text: String, now: Date, of option: String) throws -> Date {
    do { return try parse(text, now: now) } catch let error as QuakesError {
      throw QuakesError(error.code, "\(option) \(text)", reason: error.reason)
    }
  }
}
