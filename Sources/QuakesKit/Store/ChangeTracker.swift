import HTTPContent
import Synchronization

/// Finds out which events a refresh adds or changes, so that pages can be told exactly that.
///
/// It keeps a digest of each event that it knows, sees each event on its way into the store, and
/// remembers those that differ. What a failed refresh brought is forgotten.
public final class ChangeTracker: Sendable {
  /// What a refresh changed.
  public struct Changes: Hashable, Sendable {
    /// Events that were not known.
    public var inserted: [Event] = []
    /// Events whose content differs from what was known.
    public var updated: [Event] = []
    /// More changed than is listed.
    public var isIncomplete = false

    /// Whether nothing changed.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && !isIncomplete }
  }

  private struct State {
    var known: [String: UInt64] = [:]
    var arriving: [String: UInt64] = [:]
    var changes = Changes()
  }

  private let limit: Int
  private let state = Mutex(State())

  /// - Parameter limit: how many changed events are listed one by one.
  public init(limit: Int) { self.limit = limit }

  /// Learns what the store holds.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func learn(_ store: QuakeStore) throws {
    var known: [String: UInt64] = [:]
    try store.forEachBatch(EventQuery()) { events in
      for event in events { known[event.id] = Self.digest(event) }
    }
    state.withLock { $0.known = known }
  }

  /// A refresh begins.
  public func begin() {
    state.withLock {
      $0.arriving = [:]
      $0.changes = Changes()
    }
  }

  /// An event is on its way into the store.
  public func see(_ event: Event) {
    let digest = Self.digest(event)
    state.withLock { state in
      let before = state.arriving[event.id] ?? state.known[event.id]
      guard before != digest else { return }
      state.arriving[event.id] = digest
      guard state.changes.inserted.count + state.changes.updated.count < limit else {
        state.changes.isIncomplete = true
        return
      }
      if before == nil {
        state.changes.inserted.append(event)
      } else {
        state.changes.updated.append(event)
      }
    }
  }

  /// The refresh is in the store: gives what it changed.
  public func commit() -> Changes {
    state.withLock { state in
      state.known.merge(state.arriving) { _, new in new }
      defer {
        state.arriving = [:]
        state.changes = Changes()
      }
      return state.changes
    }
  }

  private static func digest(_ event: Event) -> UInt64 {
    var json = JSONBytes()
    event.write(to: &json)
    var hash = ContentHash()
    hash.combine(json.bytes)
    return hash.value
  }
}
