import Observation
import Synchronization

/// Detects whether property reads have to be reported to Observation, without creating a registrar and a key path for
/// each model: most programs never observe, and a registrar is a separate allocation.
///
/// Observation has no API for this question. So each read reports an access to one property of this probe, which costs
/// almost nothing when no observer is tracking. A tracking observer inserts the key path into a set, and so requests a
/// hash of the subject that the key path contains.
final class ObservationProbe {
  /// The observed object, which is also an argument in the key path.
  private final class Subject: Observable, Hashable {
    /// Whether a hash has been requested, on any thread.
    private let isHashed = Atomic<Bool>(false)

    var isTracked: Bool {
      @inline(__always) get { isHashed.load(ordering: .relaxed) }
    }

    subscript(subject: Subject) -> Int { 0 }

    static func == (left: Subject, right: Subject) -> Bool { left === right }

    func reset() { isHashed.store(false, ordering: .relaxed) }

    func hash(into hasher: inout Hasher) {
      if !isTracked { isHashed.store(true, ordering: .relaxed) }
      hasher.combine(ObjectIdentifier(self))
    }
  }

  /// Whether an observer tracks what this thread reads of models without a context.
  @inline(never)
  static func isTrackedWithoutContext() -> Bool { withoutContext.isTracked() }

  /// The probe of all models without a context. Its parts may be used on any thread: nothing but the atomic changes,
  /// and a registrar has a lock.
  nonisolated(unsafe) static let withoutContext = ObservationProbe(isShared: true)

  private let subject = Subject()
  private let keyPath: Unmanaged<KeyPath<Subject, Int>>
  /// Whether several threads may ask at the same time: then no question may reset the answer of another one, and after
  /// the first tracked read the answer stays yes.
  private let isShared: Bool
  // The last field: only Observation's library knows the registrar's size, so the offset of any field behind it would
  // have to be computed at run time.
  private let registrar = ObservationRegistrar()

  init(isShared: Bool = false) {
    self.isShared = isShared
    keyPath = .passRetained(\Subject[subject])
  }

  deinit { keyPath.release() }

  /// Whether an observer tracks what this thread reads. A shared probe also answers yes after it was tracked once, on
  /// any thread.
  @inline(__always)
  func isTracked() -> Bool {
    report()
    return subject.isTracked && isTrackedNow()
  }

  /// Whether the hash that was seen is one of now: observers hash key paths at other times, too.
  @inline(never)
  private func isTrackedNow() -> Bool {
    if isShared { return true }
    subject.reset()
    report()
    return subject.isTracked
  }

  @inline(__always)
  private func report() {
    keyPath._withUnsafeGuaranteedRef { registrar.access(subject, keyPath: $0) }
  }
}
