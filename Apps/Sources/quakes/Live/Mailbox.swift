import Synchronization

/// Collects and merges updates until they are taken, so that a slow reader costs no memory. Any
/// task may add updates; one task at a time takes them.
final class Mailbox<Contents: Sendable>: Sendable {
  private let contents: Mutex<Contents>
  private let bell: AsyncStream<Void>
  private let ringing: AsyncStream<Void>.Continuation

  /// - Parameter contents: The initial contents.
  init(_ contents: Contents) {
    self.contents = Mutex(contents)
    (bell, ringing) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds an update, and wakes the waiting task.
  func put(_ add: @Sendable (inout Contents) -> Void) {
    contents.withLock { add(&$0) }
    ringing.yield()
  }

  /// Waits until there is an update.
  /// - Parameter take: Takes the update out; returns nil when there is none yet.
  /// - Returns: nil when the task is cancelled. Nothing can be taken out after that.
  func next<Piece: Sendable>(
    _ take: @Sendable (inout Contents) -> Piece?
  ) async -> Piece? {
    while true {
      if let piece = contents.withLock({ take(&$0) }) { return piece }
      var rings = bell.makeAsyncIterator()
      guard await rings.next() != nil else { return nil }
    }
  }
}
