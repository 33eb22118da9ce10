import ArgumentParser
import Foundation
import HTTPContent
import LocalApp
import QuakesKit

/// `quakes open`: opens the page of an event in a browser.
struct OpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Open the page of one event, most often at the USGS, in a browser.",
    discussion: """
      The browser is that of $BROWSER, a command or several with colons between them, in which %s stands for the \
      address; else that of xdg-open, on Apple systems of open. Without any, or when all fail, the address is printed.

      EXAMPLES
        quakes open nc75176351
        quakes open nc75176351 --print
        BROWSER=w3m quakes open nc75176351
      """)

  @Argument(help: "The event's identifier, as `quakes list` prints it.")
  var id: String

  @Flag(help: "Print the address, and open nothing.")
  var print = false

  @OptionGroup var storeOptions: StoreOptions

  func run() async throws {
    guard let event = try storeOptions.openExisting().event(id: id) else {
      throw QuakesError(
        .notFound, PlainText.neutralised(id), reason: "there is no such event in the store")
    }
    guard let address = Browser.address(event) else {
      throw QuakesError(
        .notFound, PlainText.neutralised(event.id),
        reason: "the feed gives no address of a page for this event")
    }
    if !print, await Browser(ProcessInfo.processInfo.environment).open(address) { return }
    var output = StandardOutput()
    try output.line(address)
    try output.flush()
  }
}
