import SwiftDataCore
import Synchronization

/// The threads that read a store in memory, with their connections.
final class MemoryReaders: Sendable {
  private struct Reader: @unchecked Sendable {
    // Unchecked: the connection is only used on its thread.
    let thread: UInt
    let connection: Connection
  }

  private let readers = Mutex<[Reader]>([])

  /// Whether this is called by code that a read runs.
  var containsCurrent: Bool {
    readers.withLock { !$0.isEmpty && $0.contains { $0.thread == CurrentThread.number } }
  }

  /// The connection of a read that is under way on this thread and keeps writers from committing; nil without one.
  ///
  /// A writer that waits for this read locks out all other connections, so a read within it would wait for itself.
  var connectionInUse: Connection? {
    let mine = readers.withLock { readers in
      readers.isEmpty ? [] : readers.filter { $0.thread == CurrentThread.number }
    }
    return mine.last { $0.connection.isInTransaction }?.connection
  }

  /// Runs `body`, a read of this thread with a connection.
  func using<Result>(
    _ connection: Connection, _ body: (Connection) throws -> Result
  ) rethrows -> Result {
    let reader = Reader(thread: CurrentThread.number, connection: connection)
    readers.withLock { $0.append(reader) }
    defer {
      readers.withLock { readers in
        let last = readers.lastIndex { $0.thread == reader.thread }
        if let last { readers.remove(at: last) }
      }
    }
    return try body(connection)
  }
}
