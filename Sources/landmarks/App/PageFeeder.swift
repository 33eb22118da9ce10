import HTTPContent
import LocalApp
import Logging
import ServiceLifecycle

/// Tells the pages that listen when they have to read again, until the server ends.
struct PageFeeder: Service {
  let source: AppSource
  let hub: StreamHub
  let heartbeat: Duration
  let logger: Logger

  func run() async throws {
    await withGracefulShutdownHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await feed() }
        group.addTask { await beat() }
        await group.waitForAll()
      }
    } onGracefulShutdown: {
      hub.close()
    }
    hub.close()
  }

  private func feed() async {
    for await _ in source.pageChanges.cancelOnGracefulShutdown() {
      do {
        var json = JSONBytes()
        json.status(try source.status())
        hub.sendChanges(json.bytes)
      } catch {
        logger.error("The status cannot be read: \(error)")
      }
    }
  }

  private func beat() async {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await Task.sleep(for: heartbeat)
        } catch {
          return  // cancelled: the only way that sleeping fails
        }
        hub.sendHeartbeat()
      }
    }
  }
}
