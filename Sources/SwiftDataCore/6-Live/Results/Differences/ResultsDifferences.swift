/// The changes of the results of a ``ResultsObserver``, one difference after the other.
/// ``ResultsObserver/differences(initial:)`` returns this sequence.
///
/// Each difference begins where the one before ended, so a reader that applies all of them has the observer's list. A
/// reader that is slower than the commits gets one difference for several of them; nothing accumulates. Any number of
/// tasks may read, each from its own beginning, in any isolation: no code waits for them.
///
/// The sequence ends when the observer is released and when the task is cancelled.
public struct ResultsDifferences: AsyncSequence, Sendable {
  public typealias Element = ResultsDifference<PersistentIdentifier>
  public typealias Failure = Never

  let broadcaster: DifferenceBroadcaster
  let includesResults: Bool

  /// Begins now: the reader receives all commits from here on, no matter when it requests the first element.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reader: DifferenceReader(broadcaster, includesResults: includesResults))
  }

  /// An iterator that continues from its own position. Used by one task at a time.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let reader: DifferenceReader

    /// The next difference, as soon as there is one; nil when the observer was released or the task is cancelled.
    public mutating func next() async -> Element? { await reader.next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await reader.next(isolation: actor)
    }
  }
}

/// A reader of differences.
private final class DifferenceReader {
  private let broadcaster: DifferenceBroadcaster
  private let signal = RemoteChangeSignal()
  private let number: Int
  /// Whether the first difference, which is delivered even when it is empty, is still due.
  private var isBeginning: Bool

  init(_ broadcaster: DifferenceBroadcaster, includesResults: Bool) {
    self.broadcaster = broadcaster
    isBeginning = includesResults
    number = broadcaster.add(signal, includesResults: includesResults)
  }

  deinit { broadcaster.remove(number) }

  func next(isolation: isolated (any Actor)?) async -> ResultsDifferences.Element? {
    while !Task.isCancelled {
      // Taken before the check, so that a change during the check is checked again.
      signal.reset()
      if let (earlier, later, change) = broadcaster.consume(number) {
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
