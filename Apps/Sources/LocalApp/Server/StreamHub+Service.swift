import ServiceLifecycle

extension StreamHub {
  /// Keeps the streams open until the server stops: sends the messages of `feed`, with heartbeats between them. Then
  /// closes the streams.
  /// - Parameters:
  ///   - heartbeat: The time between two heartbeats.
  ///   - feed: Sends messages; must return when the server stops.
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
          return  // Cancelled: sleeping can't fail in any other way.
        }
        self.sendHeartbeat()
      }
    }
  }
}
