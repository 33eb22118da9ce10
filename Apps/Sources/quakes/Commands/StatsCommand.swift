import ArgumentParser
import Foundation
import HTTPContent
import QuakesKit
import WireFormats

/// `quakes stats`: prints the statistics of the events of the store.
struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Print statistics of the events in the store.",
    discussion: """
      Events by day, magnitude and depth, the strongest one, the seismic moment, and the magnitude of completeness with \
      the b value of the Gutenberg–Richter law. Days are those of UTC; magnitudes are those of earthquakes, without \
      explosions and quarry blasts.

      EXAMPLES
        quakes stats
        quakes stats --since 30d --search california
        quakes stats --json | jq .law
        quakes stats --type earthquake --miles
      """)

  @OptionGroup var filters: EventFilters

  @Flag(help: "Print them as a JSON object.")
  var json = false

  @OptionGroup var units: UnitOption
  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    guard !json || !units.miles else {
      throw ValidationError("--miles and --json exclude each other: JSON has kilometres.")
    }
  }

  func run() throws {
    let query = try filters.query(now: Date())
    let store = try storeOptions.openExisting()
    let statistics = try store.statistics(query)
    CoverageText.tell(query, store, option: storeOptions.store)
    var output = StandardOutput()
    if json {
      var text = JSONWriter()
      statistics.write(to: &text)
      text.raw("\n")
      try output.write(text.bytes)
    } else if statistics.count == 0 {
      let filter = filters.shown
      complain(
        filter.isEmpty
          ? "The store is empty; `quakes refresh` loads events." : "No event matches: \(filter).")
    } else {
      let table = StatisticsTable(
        terminal: Terminal.at(FileHandle.standardOutput.fileDescriptor), unit: units.unit)
      for line in table.lines(statistics) { try output.line(line) }
    }
    try output.flush()
  }
}
