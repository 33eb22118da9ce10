import Dispatch
import Foundation

/// Whether the current code runs on the main actor.
///
/// Outside Apple's systems the main queue may run on any thread once the program has called `dispatchMain()`, as every
/// asynchronous `main` does; so checking the thread isn't sufficient.
enum MainQueue {
  private static let key = DispatchSpecificKey<Bool>()
  private static let isMarked: Bool = {
    DispatchQueue.main.setSpecific(key: key, value: true)
    return true
  }()

  static var isCurrent: Bool {
    Thread.isMainThread || (isMarked && DispatchQueue.getSpecific(key: key) == true)
  }
}
