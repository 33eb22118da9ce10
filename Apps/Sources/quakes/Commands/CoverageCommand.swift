import ArgumentParser
import Foundation
import QuakesKit
import WireFormats

/// `quakes coverage`: prints the time ranges that back-fills have loaded.
struct CoverageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coverage",
    abstract: "Print the time ranges that were loaded by `backfill`.",
    discussion: """
      A line for each range: its start and end in UTC, the magnitudes, the service and the day on which it was last \
      loaded. Ranges that touch are one, but not with --json. Events of feeds are not among them: a feed has those of its \
      own past hour, day, week or month.

      EXAMPLES
        quakes coverage
        quakes coverage --json | jq '.[0].since'
      """)

  @Flag(help: "Print the ranges as a JSON array, with times in milliseconds since 1970.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func run() throws {
    let store = try storeOptions.openExisting()
    let ranges = try store.loadedRanges()
    var output = StandardOutput()
    if json {
      var text = JSONWriter()
      RangeText.write(ranges, to: &text)
      text.raw("\n")
      try output.write(text.bytes)
    } else if ranges.isEmpty {
      let named = CoverageText.namedStore(store.location, storeOptions.store)
        .map { " --store " + CoverageText.shell($0) }
      complain(
        "Nothing was loaded by `backfill`; `quakes backfill --from 2016-01-01 --min-magnitude 2.5"
          + "\(named ?? "")` loads the events since then from that magnitude on.")
    } else {
      for range in ranges.told { try output.line(RangeText.line(range)) }
    }
    try output.flush()
  }
}
