import ArgumentParser
import HTTPContent
import LandmarksKit
import LocalApp

/// `landmarks favorite`: sets or removes the favorite mark of a landmark.
struct FavoriteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "favorite",
    abstract: "Mark a landmark as a favorite, or take the mark away.",
    discussion: """
      Done at once and without the server, which hears of it at the next exchange.

      EXAMPLES
        landmarks favorite 1002
        landmarks favorite 1002 --remove
      """)

  @Argument(help: "The landmark's number, as `landmarks list` prints it.")
  var number: Int

  @Flag(help: "Take the mark away.")
  var remove = false

  @OptionGroup var storeOptions: StoreOptions

  func run() throws {
    let store = try storeOptions.openExisting()
    try store.setFavorite(number, !remove)
    let name = PlainText.neutralised(try store.landmark(number)?.name ?? "")
    var output = StandardOutput()
    try output.line("\(name) is \(remove ? "no longer" : "now") a favorite.")
    try output.flush()
  }
}
