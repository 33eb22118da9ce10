import Synchronization

/// The states of models whose class conforms to ``PersistentModel`` by hand and so has no member for its state. A class
/// with `@Model` holds its state itself and is never in this table.
enum HandWrittenStates {
  private struct Entry {
    weak var model: AnyObject?
    let state: _ModelState
  }

  private struct Table: ~Copyable, @unchecked Sendable {
    // Unchecked: a state belongs to its model's isolation; the lock guards the table only.
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The size at which the table is next searched for deallocated models.
    var nextSweep = 1024
  }

  private static let table = Mutex(Table())

  /// The state of `model`, made at the first call.
  static func state(of model: AnyObject) -> _ModelState {
    nonisolated(unsafe) let model = model
    nonisolated(unsafe) var found: _ModelState?
    // The states of deallocated models are released outside the lock.
    nonisolated(unsafe) var gone: [Entry] = []
    table.withLock { table in
      let key = ObjectIdentifier(model)
      // The address may have belonged to a deallocated model.
      if let entry = table.entries[key], entry.model === model {
        found = entry.state
        return
      }
      if table.entries.count >= table.nextSweep {
        gone = table.entries.values.filter { $0.model == nil }
        table.entries = table.entries.filter { $0.value.model != nil }
        table.nextSweep = max(1024, table.entries.count * 2)
      }
      let made = _ModelState()
      table.entries[key] = Entry(model: model, state: made)
      found = made
    }
    withExtendedLifetime(gone) {}
    return found ?? _ModelState()
  }
}
