import ArgumentParser
import LandmarksKit
import LocalApp

/// `landmarks calendar`: prints the visits for calendar programs.
struct CalendarCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar",
    abstract: "Print the visits as a calendar.",
    discussion: """
      The format is iCalendar (RFC 5545), which calendar programs import. A visit lasts an hour there.

      EXAMPLES
        landmarks calendar > visits.ics
      """)

  @OptionGroup var storeOptions: StoreOptions

  func run() throws {
    guard let calendar = try storeOptions.openExisting(isReadOnly: true).calendar() else {
      return complain("No reservations.")
    }
    var output = StandardOutput()
    try output.write(calendar)
    try output.flush()
  }
}
