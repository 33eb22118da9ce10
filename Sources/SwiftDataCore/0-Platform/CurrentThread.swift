import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Identifies the current thread.
package enum CurrentThread {
  /// A number that no other living thread has, never 0.
  @inline(__always)
  package static var number: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #elseif canImport(Musl)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}

/// The threads that are running some work that calls external code.
package final class ActiveThreads: Sendable {
  private let threads = Mutex<[UInt]>([])

  package init() {}

  /// Whether this is called by code that the work runs.
  package var containsCurrent: Bool {
    threads.withLock { !$0.isEmpty && $0.contains(CurrentThread.number) }
  }

  /// The number of times that the work is under way on this thread, nested in itself.
  package var currentDepth: Int {
    threads.withLock { threads in
      threads.isEmpty ? 0 : threads.count { $0 == CurrentThread.number }
    }
  }

  /// Begins work on this thread.
  package func begin() { threads.withLock { $0.append(CurrentThread.number) } }

  /// Ends the work, on the same thread.
  package func end() {
    threads.withLock { threads in
      if let last = threads.lastIndex(of: CurrentThread.number) { threads.remove(at: last) }
    }
  }
}
