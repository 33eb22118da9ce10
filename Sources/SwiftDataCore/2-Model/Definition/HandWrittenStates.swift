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
    var nextSweep = HandWrittenStates.smallSize
    /// The contexts that have ended since the last search.
    var endedContexts = 0

    /// Removes the entries of deallocated models, which the caller releases outside the lock. The same holds for the
    /// references to the other models: each may have become a model's last one meanwhile.
    mutating func removeGone(into released: inout Released) {
      for (key, entry) in entries {
        if let model = entry.model {
          released.models.append(model)
        } else {
          released.entries.append(entry)
          entries[key] = nil
        }
      }
      nextSweep = max(HandWrittenStates.smallSize, entries.count * 2)
      endedContexts = 0
    }
  }

  private struct Released {
    var entries: [Entry] = []
    var models: [AnyObject] = []
  }

  /// The number of entries up to which insertions search for no deallocated models.
  private static let smallSize = 1024
  /// The number of entries for which one more context must have ended before all are searched.
  private static let entriesPerContext = 16

  private static let table = Mutex(Table())

  /// The state of `model`, made at the first call.
  static func state(of model: AnyObject) -> _ModelState {
    nonisolated(unsafe) let model = model
    nonisolated(unsafe) var found: _ModelState?
    nonisolated(unsafe) var released = Released()
    table.withLock { table in
      let key = ObjectIdentifier(model)
      // The address may have belonged to a deallocated model.
      if let entry = table.entries[key], entry.model === model {
        found = entry.state
        return
      }
      if table.entries.count >= table.nextSweep { table.removeGone(into: &released) }
      if let gone = table.entries[key] { released.entries.append(gone) }
      let made = _ModelState()
      table.entries[key] = Entry(model: model, state: made)
      found = made
    }
    withExtendedLifetime(released) {}
    return found ?? _ModelState()
  }

  /// Releases the states of deallocated models: each keeps the stores of its model's context open. Called when a
  /// container ends, and when another one opens, for models that outlived it.
  static func releaseGone() {
    releaseGone { _ in true }
  }

  /// Releases the states of deallocated models when a context ends. While its container lives, it is done at the end of
  /// one context of several: all models that the program has of such classes are examined.
  static func contextEnded(isLast: Bool) {
    releaseGone { table in
      table.endedContexts += 1
      return isLast || table.endedContexts * entriesPerContext >= table.entries.count
    }
  }

  private static func releaseGone(_ isDue: (inout Table) -> Bool) {
    nonisolated(unsafe) var released = Released()
    table.withLock { table in
      if isDue(&table) { table.removeGone(into: &released) }
    }
    withExtendedLifetime(released) {}
  }
}
