import LocalApp
import Logging
import ServiceLifecycle
import WireFormats

/// Notifies the listening pages when they have to read again, until the server stops.
struct PageFeeder: Service {
  let source: AppSource
  let hub: StreamHub
  let heartbeat: Duration
  let logger: Logger

  func run() async throws { await hub.serve(heartbeat: heartbeat, feed: feed) }

  private func feed() async {
    for await _ in source.pageChanges.cancelOnGracefulShutdown() {
      do {
        var json = JSONWriter()
        json.status(try await source.status())
        hub.sendChanges(json.bytes)
      } catch {
        logger.error("The status cannot be read: \(error)")
      }
    }
  }
}
