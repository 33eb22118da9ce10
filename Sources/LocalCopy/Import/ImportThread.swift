import Dispatch

/// The executor of one refresh: a thread of its own when there is something to do.
///
/// A save that waits for the import's transaction blocks its thread. If that were the main thread or one of the tasks',
/// and the import needed it in order to continue, both would wait for each other.
final class ImportThread: TaskExecutor {
  private let queue = DispatchQueue(label: "LocalCopy.ImportThread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
