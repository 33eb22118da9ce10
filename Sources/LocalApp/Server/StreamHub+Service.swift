import ServiceLifecycle

extension StreamHub {
  /// Keeps the streams going until the server ends: what `feed` sends, and heartbeats between. Then they are closed.
  /// - Parameters:
  ///   - heartbeat: the time between two heartbeats.
  ///   - feed: sends messages; has to end when the server ends.
  package func serve(heartbeat: Duration, feed: @Sendable @escaping () async -> Void) async {
    await withGracefulShutdownHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await feed() }
        group.addTask { await self.beat(every: heartbeat) }
        await group.waitForAll()
      }
    } onGracefulShutdown: {
      self.close()
    }
    close()
  }

  private func beat(every heartbeat: Duration) async {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await Task.sleep(for: heartbeat)
        } catch {
          return  // cancelled: the only way that sleeping fails
        }
        self.sendHeartbeat()
      }
    }
  }
}
