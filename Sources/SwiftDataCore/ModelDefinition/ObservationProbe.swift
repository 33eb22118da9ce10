import CSwiftRuntime
import Observation

/// Finds out whether properties that are read have to be made known to Observation, without asking for a registrar and
/// a key path of each model: most programs never observe, and a registrar is an allocation of its own.
///
/// Observation has no question for it. So each read tells of one property of this probe, which costs next to nothing
/// when nobody tracks; whoever tracks keeps what was read, which the key path's number of references shows. From then on
/// the answer is yes.
final class ObservationProbe {
  private final class Subject: Observable {
    // With an index, so that each probe has a key path object of its own.
    subscript(number: Int) -> Int { number }
  }

  private let subject = Subject()
  private let registrar = ObservationRegistrar()
  private let keyPath: Unmanaged<KeyPath<Subject, Int>>
  private(set) var hasTracked = false

  init() {
    // Not a constant, which could become a shared object.
    let number = unsafeBitCast(ObjectIdentifier(subject), to: Int.self)
    keyPath = .passRetained(\Subject[number])
  }

  deinit { keyPath.release() }

  /// Whether somebody tracks what this thread reads, or has ever tracked what was read of the same context.
  func isTracked() -> Bool {
    if hasTracked { return true }
    keyPath._withUnsafeGuaranteedRef { registrar.access(subject, keyPath: $0) }
    guard swift_retainCount(keyPath.toOpaque()) > 1 else { return false }
    hasTracked = true
    return true
  }
}
