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
    }
  }

  private struct Released {
    var entries: [Entry] = []
    var models: [AnyObject] = []
  }

  /// The number of entries up to which a search of all takes no time.
  private static let smallSize = 1024

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
  /// context or a container ends, and when another container opens, for models that outlived both. While a program has
  /// many such models, the searches at growing sizes alone do it.
  static func releaseGone() {
    nonisolated(unsafe) var released = Released()
    table.withLock { table in
      guard table.entries.count < smallSize else { return }
      table.removeGone(into: &released)
    }
    withExtendedLifetime(released) {}
  }
}
