import Dispatch
import Synchronization

/// Runs a model actor's jobs one at a time, never on the main thread.
///
/// The context follows what others commit from the actor's first job on: before that the actor's initialiser may be using
/// it, on whatever thread that runs.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  // Unchecked: the context is only handed out, and used on the executor.

  public final let modelContext: ModelContext
  private let hasBegun = Atomic<Bool>(false)
  private let queue = DispatchQueue(label: "SwiftData.DefaultSerialModelExecutor")

  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    if !hasBegun.load(ordering: .relaxed), !hasBegun.exchange(true, ordering: .relaxed) {
      queue.async { self.modelContext.beginFollowing(on: self.queue) }
    }
    queue.async { job.runSynchronously(on: executor) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}
