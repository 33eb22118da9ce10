/// The parts of a push that are decided together.
extension SyncServerLedger {
  /// Returns the number of changes to decide in an attempt: fewer and fewer while other authors save so often that no
  /// attempt comes to its end. The others get no outcome.
  static func length(of count: Int, attempt: Int) -> Int {
    attempt <= 4 ? count : max(1, count >> min(attempt - 4, 32))
  }

  /// Returns those of objects that changes are of, with what has to be decided together with these changes although
  /// nothing refuses it: the objects that they refer to, and what leaves an object before its deletion, which would
  /// delete it, too.
  func needed(
    _ objects: Set<SyncObjectID>, among changes: [SyncChange]
  ) throws -> Set<SyncObjectID> {
    let changes = Dictionary(grouping: changes, by: \.object)
    var found: Set<SyncObjectID> = []
    var next = objects.filter { changes[$0] != nil }
    while !next.isEmpty {
      found.formUnion(next)
      let given = next.flatMap { changes[$0] ?? [] }
      var others = Set(
        given.flatMap { schema.references(of: $0.object.entity, in: $0.values ?? [:]) }
          .map(storage.canonical))
      let deletions = given.filter { $0.values == nil }
      if !deletions.isEmpty {
        others.formUnion(
          try storage.dependents(after: deletions.map { ($0.object, nil) }).values.joined())
      }
      next = others.subtracting(found).filter { changes[$0] != nil }
    }
    return found
  }

  /// Returns the outcomes of changes with a deletion that would delete an object of which another one of them is in
  /// conflict: its client was about to move the object away, and doesn't know how it is now. All changes are then in
  /// conflict, so that the client merges the object and sends them together again.
  ///
  /// - Parameters:
  ///   - dependents: The objects that are deleted together with each deleted one.
  ///   - known: The states of the objects before the changes.
  /// - Returns: nil when there is no such deletion.
  func torn(
    _ outcomes: [(change: SyncChange, outcome: SyncOutcome)],
    _ dependents: [SyncObjectID: Set<SyncObjectID>], _ known: [SyncObjectID: SyncServerEntry]
  ) -> [(change: SyncChange, outcome: SyncOutcome)]? {
    let open = outcomes.compactMap { change, outcome -> SyncObjectID? in
      guard case .conflict(let remote) = outcome, remote.values != nil, change.values != nil else {
        return nil
      }
      return change.object
    }
    guard !open.isEmpty, dependents.values.contains(where: { !$0.isDisjoint(with: open) }) else {
      return nil
    }
    return outcomes.map { change, outcome in
      guard case .accepted = outcome else { return (change, outcome) }
      return (change, conflict(change.object, known[change.object] ?? SyncServerEntry(), change))
    }
  }
}
