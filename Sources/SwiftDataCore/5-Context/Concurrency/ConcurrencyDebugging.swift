import Dispatch
import Foundation
import Synchronization

/// Finds uses of a context and its models outside their isolation, when a program requests it: the counterpart of the
/// launch argument `-com.apple.CoreData.ConcurrencyDebug` of Core Data.
///
/// The compiler keeps models in their isolation, unless code turns the check off: `nonisolated(unsafe)`, `@unchecked
/// Sendable`, a module in Swift 5 mode. The effect of such code on a model that another thread changes is undefined.
/// With `SWIFTDATA_CONCURRENCY_DEBUG=report` in the environment each such place is reported to ``SwiftDataLog``; with
/// `SWIFTDATA_CONCURRENCY_DEBUG=stop` the program ends at the first.
///
/// - Main contexts: every use outside the main actor.
/// - Contexts of model actors: every use outside the actor, from its first job on.
/// - Other contexts may move from thread to thread: a use while another thread is inside an operation of the same
///   context, as far as the two coincide.
///
/// A use is an operation of the context, loading a relationship, and a first change of a model or property. Reading
/// loaded values isn't checked.
package final class ConcurrencyDebugging: Sendable {
  /// The name of the environment variable.
  package static let variable = "SWIFTDATA_CONCURRENCY_DEBUG"

  private let report: @Sendable (String) -> Void
  /// The thread of the outermost operation under way; 0 without one.
  private let user = Atomic<UInt>(0)

  /// - Parameter report: Receives a sentence about a use outside the isolation.
  package init(_ report: @escaping @Sendable (String) -> Void) { self.report = report }

  /// Makes the checks that the environment requests; nil when it requests none.
  convenience init?(environment: String?) {
    switch environment {
    case "report":
      self.init { text in
        let frames = Thread.callStackSymbols.prefix(32).joined(separator: "\n")
        SwiftDataLog.report(.error, "ModelContext", "\(text)\n\(frames)")
      }
    // Ends the program because its environment requests that, at the place to be found.
    case "stop": self.init { fatalError("SwiftData: \($0)") }
    default: return nil
    }
  }

  // Reads one variable: `ProcessInfo` would read the whole environment, which would delay opening a store.
  private static let requestedMode = getenv(variable).map { String(cString: $0) }

  /// The checks for a new context; nil, without any cost, unless the environment requests them.
  static func forNewContext() -> ConcurrencyDebugging? {
    ConcurrencyDebugging(environment: requestedMode)
  }

  func begin(in context: ModelContext) {
    check(context)
    if context.operations.depth == 1 { user.store(CurrentThread.number, ordering: .relaxed) }
  }

  func end(in context: ModelContext) {
    if context.operations.depth == 0 { user.store(0, ordering: .relaxed) }
  }

  func check(_ context: ModelContext) {
    switch context.merging.isolation {
    case .mainActor:
      if !MainQueue.isCurrent {
        report(context, "a main context, is used outside of the main actor")
      }
    case .queue(let queue):
      if !Self.isCurrent(queue) {
        report(context, "the context of a model actor, is used outside of the actor")
      }
    case nil:
      let other = user.load(ordering: .relaxed)
      if other != 0, other != CurrentThread.number {
        report(context, "a context of its own, is used by two threads at once")
      }
    }
  }

  private func report(_ context: ModelContext, _ finding: String) {
    let name = context.author.map { " of the author “\($0)”" } ?? ""
    report(
      "the context\(name), \(finding): pass persistent identifiers or a ModelContainer, which are"
        + " Sendable, and make a context where the models are used")
  }

  private static let key = DispatchSpecificKey<UInt>()

  /// Whether this code runs on the queue of a model actor. The queue is marked at the first call.
  private static func isCurrent(_ queue: DispatchQueue) -> Bool {
    let mark = UInt(bitPattern: ObjectIdentifier(queue))
    if queue.getSpecific(key: key) == nil { queue.setSpecific(key: key, value: mark) }
    return DispatchQueue.getSpecific(key: key) == mark
  }
}
