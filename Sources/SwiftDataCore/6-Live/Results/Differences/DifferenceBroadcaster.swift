import Synchronization

/// Keeps the latest list of an observer for the readers of its differences and, for each reader, the changes that it
/// hasn't read yet: an earlier list and the rows written since, never a queue.
///
/// Lists contain no models, so each reader computes its difference in its own isolation.
final class DifferenceBroadcaster: Sendable {
  private let state: Mutex<State>

  private struct State {
    var latest: ResultsState
    var readers: [Int: Reader] = [:]
    var next = 0
    var isOver = false
  }

  private struct Reader {
    let signal: RemoteChangeSignal
    var delivered: ResultsState
    var change: ResultsChange
    var isDue: Bool
  }

  init(_ snapshot: ResultsState) { state = Mutex(State(latest: snapshot)) }

  var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

  /// Publishes another result of the observer, or the same result with other values.
  func publish(_ snapshot: ResultsState, _ change: ResultsChange) {
    let signals = state.withLock { state in
      state.latest = snapshot
      for number in state.readers.keys {
        state.readers[number]?.change.formUnion(
          change, limit: ResultsChange.limit(snapshot.list.count))
        state.readers[number]?.isDue = true
      }
      return state.readers.values.map(\.signal)
    }
    for signal in signals { signal.set() }
  }

  func end() {
    let signals = state.withLock { state in
      state.isOver = true
      return state.readers.values.map(\.signal)
    }
    for signal in signals { signal.end() }
  }

  // MARK: - Readers

  /// - Parameter includesResults: Whether the first difference is the one from an empty list.
  func add(_ signal: RemoteChangeSignal, includesResults: Bool) -> Int {
    let (number, isOver) = state.withLock { state in
      state.next += 1
      state.readers[state.next] = Reader(
        signal: signal,
        delivered: includesResults ? ResultsState(keys: state.latest.keys) : state.latest,
        change: ResultsChange(arePositionsKnown: !includesResults), isDue: includesResults)
      return (state.next, state.isOver)
    }
    if isOver { signal.end() }
    return number
  }

  func remove(_ number: Int) {
    let removed = state.withLock { $0.readers.removeValue(forKey: number) }
    withExtendedLifetime(removed) {}
  }

  /// The changes that a reader hasn't read yet; nil when there are none.
  func consume(_ number: Int) -> (from: ResultsState, to: ResultsState, ResultsChange)? {
    state.withLock { state in
      guard var reader = state.readers[number], reader.isDue else { return nil }
      let taken = (reader.delivered, state.latest, reader.change)
      reader.delivered = state.latest
      reader.change = ResultsChange()
      reader.isDue = false
      state.readers[number] = reader
      return taken
    }
  }
}
