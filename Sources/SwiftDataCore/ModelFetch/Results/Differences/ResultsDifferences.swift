/// What becomes of the results of a ``ResultsObserver``, one difference after the other.
/// ``ResultsObserver/differences(initial:)`` makes it.
///
/// Each difference begins where the one before ended, so who carries out all of them has the observer's list. A reader
/// that is slower than the commits gets one difference for several of them; nothing piles up. Any number of tasks
/// may read, each from its own beginning, in any isolation: nobody waits for them.
///
/// The sequence ends when the observer goes away and when the task is cancelled.
public struct ResultsDifferences: AsyncSequence, Sendable {
  public typealias Element = ResultsDifference<PersistentIdentifier>
  public typealias Failure = Never

  let hub: DifferenceHub
  let includesResults: Bool

  /// Begins now: what is committed from here on will come, whenever the first element is asked for.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reader: DifferenceReader(hub, includesResults: includesResults))
  }

  /// Reads on from where it stands. Used by one task at a time.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let reader: DifferenceReader

    /// The next difference, as soon as there is one; nil when the observer has gone or the task is cancelled.
    public mutating func next() async -> Element? { await reader.next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await reader.next(isolation: actor)
    }
  }
}

/// One who reads differences.
private final class DifferenceReader {
  private let hub: DifferenceHub
  private let signal = RemoteChangeSignal()
  private let number: Int
  /// The first difference is told even when there is nothing in it.
  private var isBeginning: Bool

  init(_ hub: DifferenceHub, includesResults: Bool) {
    self.hub = hub
    isBeginning = includesResults
    number = hub.add(signal, includesResults: includesResults)
  }

  deinit { hub.remove(number) }

  func next(isolation: isolated (any Actor)?) async -> ResultsDifferences.Element? {
    while !Task.isCancelled {
      // Before the look: what comes during it is looked at again.
      signal.take()
      if let (earlier, later, change) = hub.take(number) {
        let difference = ResultsDifferences.Element(from: earlier, to: later, change)
        if difference.isEmpty, !isBeginning { continue }
        isBeginning = false
        return difference
      }
      if signal.isOver { return nil }
      await signal.wait()
    }
    return nil
  }
}
