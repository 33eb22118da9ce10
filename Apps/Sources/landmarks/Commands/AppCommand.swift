import ArgumentParser
import Foundation
import LandmarksKit
import LocalApp

/// `landmarks app`: the client's page.
struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app",
    abstract: "Serve the page of this device, and exchange changes with the server.",
    discussion: """
      Works without the server: everything is in the store of this device, and what you change waits.

      EXAMPLES
        landmarks app
        landmarks app --server https://landmarks.example.org --every 5m
        landmarks app --store second.store --port 8092     a second device
        landmarks app --clock -2d                          a wrong clock
      """)

  @OptionGroup var listen: ListenOptions

  /// The pause between exchanges, in seconds.
  @Option(
    help: ArgumentHelp(
      "The pause between exchanges when nothing is changed here, from 1s to 1d: 5m; without a unit, in seconds.",
      valueName: "duration"),
    transform: Self.pause)
  var every = 30

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The distance of this device's clock from the right time, to try out wrong clocks: +90s, -15m, +3h, -2d.",
      valueName: "distance"),
    transform: DeviceClock.init(text:))
  var clock = DeviceClock()

  @Option(
    help: ArgumentHelp(
      "The address of the page of `landmarks beside`, the only one that may show this page in a frame.",
      valueName: "url"),
    transform: PageOrigin.init(text:))
  var framedBy: PageOrigin?

  @OptionGroup var serverOptions: ServerOptions
  @OptionGroup var storeOptions: StoreOptions

  private static func pause(_ text: String) throws -> Int {
    guard let seconds = TimeSpan.seconds(text, bare: 1), (1...86_400).contains(seconds) else {
      throw ValidationError("--every takes a duration from 1s to 1d, such as 30s, 5m or 1h.")
    }
    return seconds
  }

  func run() async throws {
    let store = try storeOptions.open()
    let source = try serverOptions.source(store, every: .seconds(every), clock: clock)
    try store.forgetOldEdits(now: clock.now)
    let server = AppServer(
      place: LocalServer.Settings(host: listen.host, port: listen.port ?? 8091), source: source,
      files: try .bundledWithPage(), every: .seconds(every), framedBy: framedBy,
      logger: .standardError("landmarks"))
    complain("Store \(storeOptions.file.path), server \(source.shownServer)")
    if clock.offset != 0 { complain("The clock is wrong by \(clock.offset) s (--clock).") }
    try await untilStopped { try await server.run { announce($0) } }
  }
}
