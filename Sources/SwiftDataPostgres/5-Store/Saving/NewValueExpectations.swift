import SwiftDataCore
import Synchronization

/// The classes whose new models had new unique values when they were saved last. Their next models are inserted without
/// looking for rows with these values: a save that fails because there is one is run again, and looks for it.
final class NewValueExpectations: Sendable {
  private let classes = Mutex<Set<ObjectIdentifier>>([])

  /// Whether no stored row is expected to have the unique values of new models.
  func expectsNewValues(of plan: EntityPlan) -> Bool {
    classes.withLock { $0.contains(ObjectIdentifier(plan)) }
  }

  /// Takes note of the stored rows that were found.
  func record(_ plan: EntityPlan, wereNew: Bool) {
    classes.withLock { classes in
      if wereNew {
        classes.insert(ObjectIdentifier(plan))
      } else {
        classes.remove(ObjectIdentifier(plan))
      }
    }
  }

  /// Forgets what is expected, after a value that was there already.
  func removeAll() { classes.withLock { $0.removeAll() } }
}
