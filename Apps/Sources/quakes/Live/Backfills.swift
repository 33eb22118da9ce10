import QuakesKit
import Synchronization

/// Runs the back-fills that the page asks for, one at a time.
final class Backfills: Sendable {
  private struct Current {
    var status: BackfillStatus?
    var isStopping = false
    var task: Task<Void, Never>?
  }

  private let backfill: Backfill?
  private let changed: @Sendable () -> Void
  private let current = Mutex(Current())
  private let requests = Mailbox<[BackfillRequest]>([])

  /// - Parameters:
  ///   - backfill: Loads the events; nil when no service has them.
  ///   - changed: Called after each change of ``status``.
  init(_ backfill: Backfill?, changed: @escaping @Sendable () -> Void) {
    self.backfill = backfill
    self.changed = changed
  }

  /// The service that is asked.
  var service: EventService? { backfill?.service }

  /// The back-fill that runs, or the last one.
  var status: BackfillStatus? { current.withLock { $0.status } }

  /// Has ``run()`` begin a back-fill.
  /// - Throws: ``BackfillRefusal``.
  func start(_ request: BackfillRequest) throws(BackfillRefusal) {
    guard backfill != nil else { throw .noService }
    let isFree = current.withLock { current in
      guard current.status?.isActive != true else { return false }
      current = Current(status: BackfillStatus(request))
      return true
    }
    guard isFree else { throw .running }
    requests.put { $0.append(request) }
    changed()
  }

  /// Stops the back-fill that runs; the parts that it has loaded stay.
  func stop() {
    current.withLock { current in
      current.isStopping = true
      current.task?.cancel()
    }
  }

  /// Runs back-fills until the task is cancelled, which ends the running one, too.
  func run() async {
    while let request = await requests.next({ $0.isEmpty ? nil : $0.removeFirst() }) {
      let task = Task { await load(request) }
      current.withLock { current in
        current.task = task
        if current.isStopping { task.cancel() }
      }
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  private func load(_ request: BackfillRequest) async {
    guard let backfill else { return }
    do {
      let report = try await backfill.run(
        since: request.since, until: request.until, minimumMagnitude: request.minimumMagnitude,
        onProgress: { progress in self.update { $0.show(progress) } })
      update { status in
        status.show(report)
        (status.state, status.failure) = (.done, nil)
      }
    } catch {
      let isStopped = Task.isCancelled || error is CancellationError
      update { status in
        status.state = isStopped ? .stopped : .failed
        status.failure = isStopped ? nil : BackfillStatus.Failure(error)
      }
    }
  }

  private func update(_ change: (inout BackfillStatus) -> Void) {
    current.withLock { current in
      if var status = current.status {
        change(&status)
        current.status = status
      }
    }
    changed()
  }
}

extension BackfillStatus {
  fileprivate mutating func show(_ progress: BackfillProgress) {
    show(progress.report)
    state = .running
    failure = nil
    if case .waiting(_, let error) = progress.step { failure = Failure(error) }
  }
}
