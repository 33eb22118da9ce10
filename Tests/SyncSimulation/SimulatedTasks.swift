import Synchronization

/// Runs tasks on the simulation's thread, one after the other, in the order in which they become ready.
final class SimulatedTasks: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let failure = Mutex<(any Error)?>(nil)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Starts a task; ``run()`` throws its error.
  func begin(_ body: @escaping @Sendable () async throws -> Void) {
    Task(executorPreference: self) {
      do { try await body() } catch {
        self.failure.withLock { $0 = $0 ?? error }
      }
    }
  }

  /// Runs until all tasks wait.
  func run() throws {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}

/// A task that waits for an answer, which may arrive several times or late.
final class Waiter<Answer: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Answer, any Error>?>

  init(_ continuation: CheckedContinuation<Answer, any Error>) {
    self.continuation = Mutex(continuation)
  }

  /// Resumes the task; only the first call has an effect.
  func end(_ result: Result<Answer, any Error>) {
    let waiting = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(with: result)
  }
}
