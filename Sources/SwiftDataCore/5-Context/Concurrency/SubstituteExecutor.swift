import Dispatch
import Synchronization

/// Runs the jobs of model actors whose executor isn't a ``SerialModelExecutor``, one at a time: such an executor can't
/// keep an actor isolated.
final class SubstituteExecutor: SerialExecutor {
  static let shared = SubstituteExecutor()

  private let queue = DispatchQueue(label: "SwiftData.SubstituteExecutor")
  private let reported = Mutex<Set<ObjectIdentifier>>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Reports a type of executor that isn't used, once.
  func report(_ type: any ModelExecutor.Type) {
    guard reported.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { return }
    SwiftDataLog.report(
      .error, "ModelActor",
      "\(type) isn't a SerialModelExecutor, so it runs no jobs: its actors share a serial queue")
  }
}
