import ArgumentParser
import HTTPContent
import LandmarksKit
import LocalApp

/// `landmarks favorite`: sets or removes the favorite mark of a landmark.
struct FavoriteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "favorite",
    abstract: "Mark a landmark as a favorite, or take the mark away.",
    discussion: """
      Done at once and without the server, which hears of it at the next exchange.

      EXAMPLES
        landmarks favorite 1002
        landmarks favorite 1002 --remove
        landmarks favorite 1002 --json
      """)

  @Argument(help: "The landmark's number, as `landmarks list` prints it.")
  var number: Int

  @Flag(help: "Take the mark away.")
  var remove = false

  @Flag(help: "Print the landmark as a JSON object.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func run() async throws {
    let store = try storeOptions.openExisting()
    try store.setFavorite(number, !remove)
    let landmark = try store.landmark(number)
    var output = StandardOutput()
    if json, let landmark {
      let waiting = try await store.waitingByIdentifier()
      try output.json { $0.landmark(landmark, waiting["\(number)"]) }
    } else {
      let name = PlainText.neutralised(landmark?.name ?? "")
      try output.line("\(name) is \(remove ? "no longer" : "now") a favorite.")
    }
    try output.flush()
  }
}
