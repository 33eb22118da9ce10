import Dispatch
import Synchronization

/// Runs a model actor's jobs one at a time, never on the main thread.
///
/// The context follows commits made elsewhere from the actor's first job on: before that, the actor's initialiser may
/// be using the context on any thread.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  // Unchecked: the context is only passed on here, and used on the executor.

  public final let modelContext: ModelContext
  private let hasBegun = Atomic<Bool>(false)
  private let queue = DispatchQueue(label: "SwiftData.DefaultSerialModelExecutor")

  /// Creates an executor for a context.
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

  /// Ends the program outside the executor's queue. On it, observers of what the context does by itself (an automatic
  /// save, a merge) may assume the actor's isolation, as its jobs do.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}
