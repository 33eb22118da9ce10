import Observation

/// Finds out whether properties that are read have to be made known to Observation, without asking for a registrar and
/// a key path of each model: most programs never observe, and a registrar is an allocation of its own.
///
/// Observation has no question for it. So each read tells of one property of this probe, which costs next to nothing
/// when nobody tracks; whoever tracks puts its key path into a set, and so asks for a hash of what lies in it. From
/// then on the answer is yes.
final class ObservationProbe {
  /// What is observed, and what the key path to it contains.
  private final class Subject: Observable, Hashable {
    /// Whether a hash has been asked for.
    @exclusivity(unchecked) private(set) var isTracked = false

    subscript(subject: Subject) -> Int { 0 }

    static func == (left: Subject, right: Subject) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
      // Later hashes may be asked for on any thread, and write nothing.
      if !isTracked { isTracked = true }
      hasher.combine(ObjectIdentifier(self))
    }
  }

  private let subject = Subject()
  private let keyPath: Unmanaged<KeyPath<Subject, Int>>
  // The last one: where it ends only its library knows, so that whatever lay behind it would have to be looked for.
  private let registrar = ObservationRegistrar()

  init() { keyPath = .passRetained(\Subject[subject]) }

  deinit { keyPath.release() }

  /// Whether somebody tracks what this thread reads, or has ever tracked what was read of the same context.
  func isTracked() -> Bool {
    if subject.isTracked { return true }
    keyPath._withUnsafeGuaranteedRef { registrar.access(subject, keyPath: $0) }
    return subject.isTracked
  }
}
