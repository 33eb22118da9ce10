import Foundation
import HTTPTypes
import Hummingbird
import LocalApp
import Logging
import WireFormats

/// The page of `landmarks beside`, which shows the pages of two devices in frames.
struct BesideServer: Sendable {
  let place: LocalServer.Settings
  let devices: [PageOrigin]
  let logger: Logger

  /// Runs until the task is cancelled or its service group shuts down.
  func run(onListening: @escaping @Sendable (String) async -> Void) async throws {
    let folder = Bundle.module.bundleURL.appendingPathComponent("beside", isDirectory: true)
    let responder = BesideResponder(
      files: try StaticFiles(
        web: folder, vendor: folder.appendingPathComponent("vendor"),
        made: ["/index.html": Self.page(devices)]),
      hosts: place.hostRule, security: SecurityHeaders(tileStyle: nil, frames: devices.map(\.text)))
    try await LocalServer(place, services: [], logger: logger)
      .run(responder, onListening: onListening)
  }

  /// The page's text. The origins have no characters that mean something in HTML.
  static func page(_ devices: [PageOrigin]) -> String {
    let names = ["The first device", "The second device"]
    let parts = zip(names, devices).map { name, device in
      """
        <section aria-label="\(name)">
          <h2>\(name) <a href="\(device.text)" rel="noreferrer">\(device.text)</a></h2>
          <iframe src="\(device.text)/" title="\(name)"></iframe>
        </section>
      """
    }
    return """
      <!doctype html>
      <html lang="en">
      <head>
        <meta charset="utf-8">
        <title>Landmarks on two devices</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <link rel="stylesheet" href="/beside.css">
        <link rel="icon" href="data:,">
      </head>
      <body>
      <header>
        <h1>Landmarks on two devices</h1>
        <p>Each page is a device of its own; its <strong>Work offline</strong> takes it off the network.</p>
      </header>
      <main>
      \(parts.joined(separator: "\n"))
      </main>
      </body>
      </html>

      """
  }
}

/// Answers the requests to the page that shows two others.
private struct BesideResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  let files: StaticFiles
  let hosts: HostRule
  let security: SecurityHeaders

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    var response: Response
    do {
      response = try answer(request)
    } catch let failure as APIFailure {
      response = try failure.response(to: request)
    } catch let error as RequestTargetError {
      response = try APIFailure(error).response(to: request)
    }
    security.add(to: &response.headers)
    return response
  }

  private func answer(_ request: Request) throws -> Response {
    guard hosts.allows(request.head.authority) else {
      throw APIFailure(
        .misdirectedRequest, "wrong_host",
        "This program answers under the name it listens on, such as localhost.")
    }
    guard let answer = files.answer(try RequestTarget(request.head.path).path) else {
      throw APIFailure.notFound("There is nothing at this address.")
    }
    try request.allow("GET, HEAD")
    return try answer.response(to: request)
  }
}
