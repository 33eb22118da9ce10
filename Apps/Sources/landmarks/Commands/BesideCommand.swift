import ArgumentParser
import Foundation
import LocalApp

/// `landmarks beside`: the pages of two devices in one.
struct BesideCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "beside",
    abstract: "Serve a page that shows the pages of two devices side by side.",
    discussion: """
      The devices allow it by the page's address: `landmarks app --framed-by`.

      EXAMPLES
        landmarks app --framed-by http://127.0.0.1:8093
        landmarks beside http://127.0.0.1:8091 http://127.0.0.1:8092
      """)

  @Argument(
    help: ArgumentHelp("The addresses of the two pages.", valueName: "url"),
    transform: PageOrigin.init(text:))
  var devices: [PageOrigin]

  @OptionGroup var listen: ListenOptions

  func validate() throws {
    guard devices.count == 2, devices[0] != devices[1] else {
      throw ValidationError("Give the addresses of two pages.")
    }
  }

  func run() async throws {
    let server = BesideServer(
      place: LocalServer.Settings(host: listen.host, port: listen.port ?? 8093), devices: devices,
      logger: .standardError("landmarks"))
    try await untilStopped { try await server.run { announce($0) } }
  }
}
