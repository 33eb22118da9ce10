/// The operations of a context that are under way, and the changes of which observers are to be notified afterwards.
///
/// Observers are notified of an operation's changes when all of them are in place. So whatever they do to the context,
/// they find it in a consistent state, and no statement of the store is under way.
struct ContextOperations {
  /// The number of operations under way, nested in each other.
  private(set) var depth = 0
  /// The number of reads of rows under way, nested in each other.
  private(set) var readings = 0
  /// The number of reads of rows that have begun so far.
  private(set) var readingCount = 0
  /// Whether changes are to be rolled back when the outermost operation ends.
  var isRollbackDue = false
  private var notifications: [(model: any PersistentModel, property: Int)] = []
  private var unloadedLists: [UnloadedList] = []

  @inline(__always)
  mutating func begin() { depth += 1 }

  /// Ends the innermost operation.
  ///
  /// - Returns: Whether it was the outermost one and has left something to do.
  @inline(__always)
  mutating func end() -> Bool {
    depth -= 1
    return depth == 0
      && (isRollbackDue || !notifications.isEmpty || !unloadedLists.isEmpty)
  }

  /// Begins to read rows, whose values may be decoded by custom code.
  ///
  /// - Throws: ``SwiftDataError/reentrantOperation`` when that code has called back too often.
  @inline(__always)
  mutating func beginReading() throws {
    guard readings < OperationDepth.limit else { throw OperationDepth.exceeded("Reading rows") }
    readings += 1
    readingCount &+= 1
  }

  @inline(__always)
  mutating func endReading() { readings -= 1 }

  // MARK: Notifications

  /// Records a change by an operation under way.
  ///
  /// - Returns: False when no operation is under way, and the change isn't recorded.
  mutating func recordChange(of model: any PersistentModel, at property: Int) -> Bool {
    guard depth > 0 else { return false }
    notifications.append((model, property))
    return true
  }

  /// Removes and returns the recorded changes, each property of a model once, in the order of their first change.
  mutating func consumeNotifications() -> [(model: any PersistentModel, property: Int)] {
    let recorded = notifications
    notifications = []
    var known: Set<ChangedProperty> = []
    return recorded.filter { model, property in
      known.insert(ChangedProperty(model: ObjectIdentifier(model), property: property)).inserted
    }
  }

  /// Records a list whose observers are notified if the store has another one.
  ///
  /// - Returns: False when no operation is under way, and the list isn't recorded.
  mutating func recordUnloading(of list: UnloadedList) -> Bool {
    guard depth > 0 else { return false }
    unloadedLists.append(list)
    return true
  }

  /// Removes and returns the recorded lists.
  mutating func consumeUnloadedLists() -> [UnloadedList] {
    let recorded = unloadedLists
    unloadedLists = []
    return recorded
  }

  private struct ChangedProperty: Hashable {
    let model: ObjectIdentifier
    let property: Int
  }
}
