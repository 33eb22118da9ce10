import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Which thread this is.
enum CurrentThread {
  /// A number that no other living thread has, never 0.
  @inline(__always)
  static var number: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #elseif canImport(Musl)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}

/// The threads that are at some work just now, which calls code of others.
final class ThreadsAtWork: Sendable {
  private let threads = Mutex<[UInt]>([])

  /// Whether this is called by code that the work runs.
  var isHere: Bool {
    threads.withLock { !$0.isEmpty && $0.contains(CurrentThread.number) }
  }

  /// Begins work on this thread.
  func begin() { threads.withLock { $0.append(CurrentThread.number) } }

  /// Ends it, on the same thread.
  func end() {
    threads.withLock { threads in
      if let last = threads.lastIndex(of: CurrentThread.number) { threads.remove(at: last) }
    }
  }
}
