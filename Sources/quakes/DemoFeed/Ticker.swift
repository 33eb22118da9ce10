import ServiceLifecycle

/// Takes a step of the demo world at regular intervals.
struct Ticker: Service {
  let world: DemoWorld
  let interval: Duration

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await Task.sleep(for: interval)
        } catch {
          return  // cancelled: the only way that sleeping fails
        }
        await world.advance()
      }
    }
  }
}
