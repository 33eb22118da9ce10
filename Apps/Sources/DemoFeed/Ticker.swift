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
          return  // Cancelled: sleeping can't fail in any other way.
        }
        await world.advance()
      }
    }
  }
}
