import LocalApp
import Logging
import QuakesKit
import ServiceLifecycle
import WireFormats

/// Sends the updates of the copy to the listening pages as messages, until the server stops.
struct StreamFeeder: Service {
  let source: any QuakeSource
  let hub: StreamHub
  let heartbeat: Duration
  let logger: Logger

  func run() async throws { await hub.serve(heartbeat: heartbeat, feed: feed) }

  private func feed() async {
    for await update in await source.updates().cancelOnGracefulShutdown() {
      switch update {
      case .changes(let changes): hub.sendChanges(changes.json)
      case .status:
        do {
          var json = JSONWriter()
          try await source.status().write(to: &json)
          hub.sendStatus(json.bytes)
        } catch {
          logger.error("The status cannot be read: \(error)")
        }
      }
    }
  }
}

extension EventChanges {
  /// The API's JSON object.
  var json: [UInt8] {
    var json = JSONWriter()
    json.raw(#"{"inserted":"#)
    json.events(inserted)
    json.raw(#","updated":"#)
    json.events(updated)
    json.raw(#","deleted":["#)
    for (position, id) in deleted.enumerated() {
      if position > 0 { json.raw(",") }
      json.string(id)
    }
    json.raw(#"],"reload":"#)
    json.boolean(reload)
    json.raw("}")
    return json.bytes
  }
}
