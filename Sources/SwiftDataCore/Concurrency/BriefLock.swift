import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A lock for a few instructions that hardly ever meets another thread.
///
/// Giving a mutex back is an exchange as taking it is, because somebody may sleep on it. Nobody sleeps on this: who finds it
/// taken lets other threads run and looks again. So giving it back is a plain store, and reading a row takes it three times.
struct BriefLock: ~Copyable {
  private let isTaken = Atomic<Bool>(false)

  /// Runs `body`, which mustn't come here again.
  @inline(__always)
  borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    while isTaken.exchange(true, ordering: .acquiring) { wait() }
    defer { isTaken.store(false, ordering: .releasing) }
    return try body()
  }

  /// Until it looks free.
  @inline(never)
  private borrowing func wait() {
    while isTaken.load(ordering: .relaxed) { sched_yield() }
  }
}
