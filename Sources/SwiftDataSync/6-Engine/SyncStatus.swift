import Foundation
import Observation
import Synchronization

/// An engine's state for observers and streams, readable from any thread.
public final class SyncStatus: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let content: Mutex<Content>

  private struct Content {
    var state: SyncState
    var streams: [Int: AsyncStream<SyncState>.Continuation] = [:]
    var next = 0
  }

  init(_ state: SyncState) { content = Mutex(Content(state: state)) }

  /// The current state.
  public var state: SyncState {
    registrar.access(self, keyPath: \.state)
    return content.withLock { $0.state }
  }

  /// The current state and each state that follows. A slow reader misses states, but never the last
  /// one.
  public var states: AsyncStream<SyncState> {
    AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
      let number = content.withLock { content in
        content.next += 1
        content.streams[content.next] = continuation
        continuation.yield(content.state)
        return content.next
      }
      continuation.onTermination = { [weak self] _ in
        _ = self?.content.withLock { $0.streams.removeValue(forKey: number) }
      }
    }
  }

  /// Sets the state. Only the engine calls this, one call at a time.
  func update(_ state: SyncState) {
    guard content.withLock({ $0.state }) != state else { return }
    let streams = registrar.withMutation(of: self, keyPath: \.state) {
      // Under one lock: a stream that begins before it gets the new state here, a later one begins with it.
      content.withLock { content -> [AsyncStream<SyncState>.Continuation] in
        content.state = state
        return Array(content.streams.values)
      }
    }
    for stream in streams { stream.yield(state) }
  }

  func finish() {
    let streams = content.withLock { content in
      defer { content.streams = [:] }
      return Array(content.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}
