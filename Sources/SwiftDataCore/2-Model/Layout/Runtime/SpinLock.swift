#if OSD_PLAIN_LOCKS
  import Foundation

  /// The plain form of the lock below: one on which threads sleep.
  struct SpinLock: ~Copyable {
    private let lock = NSLock()

    /// Runs `body`, which mustn't take the lock again.
    borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      lock.lock()
      defer { lock.unlock() }
      return try body()
    }
  }
#else
  import Synchronization

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A lock for a few instructions that almost never meets contention.
  ///
  /// Releasing a mutex is an atomic exchange, as acquiring it is, because a thread may sleep on it. No thread sleeps on
  /// this lock: a thread that finds it taken yields to other threads and checks again. So releasing it is a plain
  /// store; reading a row takes the lock three times.
  struct SpinLock: ~Copyable {
    private let isTaken = Atomic<Bool>(false)

    /// Runs `body`, which mustn't take the lock again.
    @inline(__always)
    borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      while isTaken.exchange(true, ordering: .acquiring) { wait() }
      defer { isTaken.store(false, ordering: .releasing) }
      return try body()
    }

    /// Waits until the lock looks free.
    @inline(never)
    private borrowing func wait() {
      while isTaken.load(ordering: .relaxed) { sched_yield() }
    }
  }
#endif
