/// The bookkeeping of a server: assigns versions to objects, processes pushes and pulls.
///
/// Every push is one transaction, including its outcomes, so a client that repeats a request gets the same outcomes.
package final class SyncServerLedger {
  private let storage: any SyncServerStorage
  private let schema: SyncSchema
  private let rules: SyncServerRules
  private var progress: SyncServerProgress
  /// See ``SyncPage/skippedVersions``.
  private var skipped: [ClosedRange<Int64>]
  /// The first version that this ledger assigned; a store with an earlier newest version was replaced by a copy.
  private var first = Int64.max
  private let beginning: (_ newest: Int64) -> Int64
  private static let maximumAttempts = 1_000

  /// - Parameter beginning: Returns the first version to assign after the newest one of the store, see
  ///   ``SyncServer/firstVersion(after:)``.
  package init(
    _ storage: any SyncServerStorage, _ schema: SyncSchema, _ rules: SyncServerRules,
    beginning: @escaping (_ newest: Int64) -> Int64 = SyncServer.firstVersion(after:)
  ) throws {
    self.storage = storage
    self.schema = schema
    self.rules = rules
    self.beginning = beginning
    progress = try storage.progress() ?? SyncServerProgress()
    skipped = try storage.skippedVersions()
  }

  // MARK: Pull

  /// - Throws: ``SyncFailure`` for an invalid or expired cursor.
  package func pull(after cursor: String?, user: String, limit: Int) throws -> SyncPage {
    try checkpoint()
    let start = try Self.place(cursor)
    if let start {
      guard start.version >= progress.forgotten || start.isFull else {
        throw SyncFailure(.cursorExpired, "The cursor is too old. Fetch everything anew.")
      }
      guard skipped.skipped(start.version, newest: progress.version) == nil else {
        throw SyncFailure(
          .cursorExpired,
          "The cursor is of a state that the server lost, as after a restored backup. Fetch everything anew."
        )
      }
      // A comparison that began before tombstones were deleted would miss them.
      if start.isFull, start.version < progress.forgotten, start.forgotten != progress.forgotten {
        throw SyncFailure(.cursorExpired, "The cursor is too old. Fetch everything anew.")
      }
    }
    let isFull = start?.isFull ?? true
    let found = try storage.changes(
      after: start?.version ?? 0, scope: user == SyncServerRules.nobody ? nil : user,
      limit: max(1, limit))
    let through = found.hasMore ? found.through : progress.version
    var page = SyncPage(
      changes: found.changes.map { shown($0, to: user) },
      cursor: Self.cursor(
        Place(
          version: through, isFull: isFull && found.hasMore,
          forgotten: start?.forgotten ?? progress.forgotten)),
      hasMore: found.hasMore, coverage: isFull ? .full() : .delta)
    (page.version, page.skippedVersions) = (progress.version, skipped)
    return page
  }

  /// Returns an object as a user may receive it: as deleted when its values belong to another user by now.
  private func shown(_ remote: SyncRemote, to user: String) -> SyncRemote {
    let entry = SyncServerEntry(values: remote.values)
    guard !rules.allow(user, toRead: remote.object, entry) else { return remote }
    return SyncRemote(object: remote.object, version: remote.version, values: nil)
  }

  /// Returns the objects that exist and that a user may read.
  package func readable(
    _ objects: Set<SyncObjectID>, user: String
  ) throws -> Set<SyncObjectID> {
    try checkpoint()
    let visible = try storage.scopes(of: objects).filter { _, scope in
      switch scope {
      case .everybody: true
      case .user(let owner): SyncServerRules.includes(user, in: owner)
      }
    }
    return Set(visible.keys)
  }

  // MARK: Changes by other authors

  /// Assigns versions to objects that authors other than clients have saved.
  private func checkpoint() throws {
    try perform { writes, position in try checkpoint(&writes, position) }
  }

  private func checkpoint(_ writes: inout SyncServerWrites, _ position: Int64) throws {
    guard position != writes.progress.checkpoint else { return }
    do {
      // A transaction that the store doesn't have, as of a later state of it.
      guard (0...position).contains(writes.progress.checkpoint) else { throw SyncHistoryExpired() }
      for edit in try storage.edits(after: writes.progress.checkpoint)
      where edit.transaction <= position {
        try note(edit.objects, &writes)
      }
    } catch is SyncHistoryExpired {
      try note(try storage.allObjects(), &writes)
    }
    writes.progress.checkpoint = position
  }

  private func note(_ objects: [SyncObjectID], _ writes: inout SyncServerWrites) throws {
    guard !objects.isEmpty else { return }
    advance(&writes)
    let entries = try storage.load(objects)
    for object in objects {
      var entry = entries[object] ?? SyncServerEntry()
      if let noted = writes.entries[object] {
        entry.version = noted.version
        entry.scope = noted.scope
      }
      // The object was never synchronized and no longer exists.
      guard entry.values != nil || entry.version != nil else { continue }
      assignVersion(to: object, &entry, &writes)
    }
  }

  private func assignVersion(
    to object: SyncObjectID, _ entry: inout SyncServerEntry, _ writes: inout SyncServerWrites
  ) {
    let version = writes.progress.version
    // A tombstone keeps the scope of the users who could read the object.
    let scope = entry.values.map { rules.scope(object, $0) } ?? entry.scope
    if entry.version != nil, entry.scope != scope {
      writes.departures.append((object, entry.scope, version))
    }
    entry.version = version
    entry.scope = scope
    writes.entries[object] = entry
  }

  /// Begins a new version.
  private func advance(_ writes: inout SyncServerWrites) {
    let newest = writes.progress.version
    writes.progress.version = newest + 1
    guard writes.skipped == nil, newest < first else { return }
    first = max(beginning(newest), newest + 1)
    writes.progress.version = first
    if first > newest + 1 { writes.skipped = newest + 1...first - 1 }
  }

  private func perform<Result>(
    _ body: (inout SyncServerWrites, Int64) throws -> Result
  ) throws -> Result {
    for _ in 0..<Self.maximumAttempts {
      let position = try storage.position()
      // Another server may have written to the same store.
      if let stored = try storage.progress(), stored != progress {
        progress = stored
        skipped = try storage.skippedVersions()
      }
      var writes = SyncServerWrites(progress)
      let result = try body(&writes, position)
      var unchanged = progress
      unchanged.revision = writes.progress.revision
      if unchanged == writes.progress, writes.answers.isEmpty { return result }
      do {
        try storage.commit(writes, at: position)
        progress = writes.progress
        if let range = writes.skipped {
          skipped = (skipped + [range]).suffix(SyncPage.maximumSkipped)
        }
        return result
      } catch is SyncStale {}
    }
    throw SyncError.busy
  }
}

// MARK: - Push

extension SyncServerLedger {
  /// Stores the acceptable changes in one transaction.
  ///
  /// - Parameter maximumWeight: The approximate maximum number of bytes of objects in the response: further conflicts
  ///   get no outcome.
  /// - Returns: The outcome of each change, by its ID.
  package func push(
    _ changes: [SyncChange], client: String, user: String, maximumWeight: Int = .max
  ) throws -> [String: SyncOutcome] {
    var outcomes = try answer(changes, client: client, user: user)
    var weight = 0
    for change in changes {
      guard case .conflict(let remote) = outcomes[change.id], let values = remote.values else {
        continue
      }
      // A conflict stores nothing, so it can be reported in the next push.
      if weight > maximumWeight { outcomes[change.id] = nil }
      let (sum, isBeyond) = weight.addingReportingOverflow(SyncAttachment.weight(of: values))
      weight = isBeyond ? .max : sum
    }
    return outcomes
  }

  private func answer(
    _ changes: [SyncChange], client: String, user: String
  ) throws -> [String: SyncOutcome] {
    let client = Self.name(of: client, user: user)
    var changes = changes
    for index in changes.indices {
      changes[index].object = storage.canonical(changes[index].object)
    }
    return try perform { writes, position in
      try checkpoint(&writes, position)
      var outcomes = try storage.remembered(changes.map(\.id), client: client)
      try renew(&outcomes, changes, user, writes)
      let new = changes.filter { outcomes[$0.id] == nil }
      guard !new.isEmpty else { return outcomes }
      advance(&writes)
      for (id, outcome) in try decide(new, user, &writes) {
        outcomes[id] = outcome
        writes.answers.append((client, id, Self.remembered(outcome)))
      }
      return outcomes
    }
  }

  /// Returns the part of an outcome that is stored: a repeated conflict is reported with the current state.
  private static func remembered(_ outcome: SyncOutcome) -> SyncOutcome {
    guard case .conflict(var remote) = outcome else { return outcome }
    remote.values = nil
    return .conflict(remote)
  }

  /// Returns the changes that already have outcomes.
  package func remembered(
    _ changes: Set<String>, client: String, user: String
  ) throws -> Set<String> {
    let name = Self.name(of: client, user: user)
    return Set(try storage.remembered(Array(changes), client: name).keys)
  }

  /// Decides all changes, and repeats this without those that the resulting state doesn't allow to be stored.
  private func decide(
    _ changes: [SyncChange], _ user: String, _ writes: inout SyncServerWrites
  ) throws -> [(id: String, outcome: SyncOutcome)] {
    var known = try storage.load(changes.map(\.object))
    for (object, noted) in writes.entries { known[object] = noted }
    var refused: [String: SyncRejection] = [:]
    var keys = AssignedKeys()
    while true {
      var (attempt, entries) = (writes, known)
      var renamed: [SyncObjectID: SyncObjectID] = [:]
      var outcomes: [(id: String, outcome: SyncOutcome)] = []
      var written: [SyncObjectID: String] = [:]
      for change in changes {
        if let rejection = refused[change.id] {
          outcomes.append((change.id, .rejected(rejection)))
          continue
        }
        let count = attempt.values.count
        outcomes.append(
          (change.id, try decide(change, user, &entries, &renamed, &keys, &attempt)))
        if attempt.values.count > count, let object = attempt.values.last?.object {
          written[object] = change.id
        }
      }
      let taken = try keys.lookUp(in: storage)
      guard taken.isEmpty else {
        known.merge(taken) { $1 }
        continue
      }
      try conceal(in: &attempt, known, entries, from: user)
      let dependents = try storage.dependents(after: attempt.values)
      let reached = Set(dependents.values.joined())
      let hidden = try hidden(reached, from: user, entries)
      var refusals = dependents.compactMapValues { $0.isDisjoint(with: hidden) ? nil : beyond }
      for (object, obstacle) in try storage.obstacles(to: attempt.values) {
        refusals[object] = obstacle.rejection(of: object)
      }
      for (object, rejection) in refusals {
        if let id = written[object] { refused[id] = rejection }
      }
      guard refusals.keys.contains(where: { written[$0] != nil }) else {
        try bury(reached, &attempt)
        writes = attempt
        return outcomes
      }
    }
  }

  /// Replaces new references to objects that a user may not read, so that they are treated like references to objects
  /// that don't exist. Objects of the same push count as they will be.
  private func conceal(
    in writes: inout SyncServerWrites, _ known: [SyncObjectID: SyncServerEntry],
    _ entries: [SyncObjectID: SyncServerEntry], from user: String
  ) throws {
    guard !rules.isOpen else { return }
    var destinations: Set<SyncObjectID> = []
    for (object, values) in writes.values {
      guard let values else { continue }
      destinations.formUnion(
        storage.newDestinations(in: values, of: object, over: known[object]?.values))
    }
    let hidden = try hidden(destinations, from: user, entries)
    guard !hidden.isEmpty else { return }
    writes.values = writes.values.map { object, values in
      (
        object,
        values.map {
          storage.concealing(hidden, in: $0, of: object, over: known[object]?.values)
        }
      )
    }
  }

  /// Returns the objects that exist and that a user may not read.
  private func hidden(
    _ objects: Set<SyncObjectID>, from user: String, _ entries: [SyncObjectID: SyncServerEntry]
  ) throws -> Set<SyncObjectID> {
    guard !rules.isOpen, !objects.isEmpty else { return [] }
    let others = try storage.load(objects.filter { entries[$0] == nil })
    return objects.filter { object in
      let entry = entries[object] ?? others[object] ?? SyncServerEntry()
      return !rules.allow(user, toRead: object, entry)
    }
  }

  /// Assigns versions to objects that are deleted together with those of a push, which only the push's author would
  /// know otherwise.
  private func bury(_ objects: Set<SyncObjectID>, _ writes: inout SyncServerWrites) throws {
    let others = objects.subtracting(writes.values.map(\.object)).sorted()
    guard !others.isEmpty else { return }
    let entries = try storage.load(others)
    for object in others {
      guard var entry = writes.entries[object] ?? entries[object] else { continue }
      if entry.version == nil, let values = entry.values {
        entry.scope = rules.scope(object, values)
      }
      entry.values = nil
      assignVersion(to: object, &entry, &writes)
    }
  }

  /// Updates repeated conflicts: a change that was once in conflict is never stored, however late it is repeated, and
  /// its outcome contains the current state, if the user may still read it.
  private func renew(
    _ outcomes: inout [String: SyncOutcome], _ changes: [SyncChange], _ user: String,
    _ writes: SyncServerWrites
  ) throws {
    let objects = changes.compactMap { change -> SyncObjectID? in
      guard case .conflict(let remote) = outcomes[change.id] else { return nil }
      return remote.object
    }
    guard !objects.isEmpty else { return }
    let entries = try storage.load(Array(Set(objects)))
    for change in changes {
      guard case .conflict(let remote) = outcomes[change.id] else { continue }
      let object = remote.object
      let entry = writes.entries[object] ?? entries[object] ?? SyncServerEntry()
      outcomes[change.id] =
        rules.allow(user, toRead: object, entry) ? conflict(object, entry, change) : foreign
    }
  }

  private func decide(
    _ change: SyncChange, _ user: String, _ entries: inout [SyncObjectID: SyncServerEntry],
    _ renamed: inout [SyncObjectID: SyncObjectID], _ keys: inout AssignedKeys,
    _ writes: inout SyncServerWrites
  ) throws -> SyncOutcome {
    var object = change.object
    guard schema.entities[object.entity] != nil else {
      return rejected("unknownEntity", "The server has no \(object.entity)")
    }
    var entry = entries[object] ?? SyncServerEntry()
    guard rules.allow(user, toRead: object, entry) else { return foreign }
    if let rejection = rules.validate(user, change) { return .rejected(rejection) }
    guard let given = change.values else {
      guard entry.values != nil else { return .accepted(version: entry.version ?? 0) }
      guard entry.version == change.baseVersion else { return conflict(object, entry, change) }
      entry.values = nil
      return accept(object, &entry, nil, &entries, &writes)
    }
    let redirected = redirect(given, of: object.entity, renamed)
    guard var values = try storage.complete(redirected, of: object, over: entry.values) else {
      return rejected("invalid", "The values don't fit \(object.entity)")
    }
    let scope = rules.scope(object, values)
    guard SyncServerRules.includes(user, in: scope) else {
      return rejected("forbidden", "The object would not be the user's")
    }
    guard entry.values == nil ? change.baseVersion == nil : entry.version == change.baseVersion
    else {
      // The client's change is based on a deleted object, or on another version than the current one.
      return conflict(object, entry, change)
    }
    var key: String?
    if change.baseVersion == nil,
      let assigned = keys.key(of: object, values, rules.assignKey, user), assigned != object.key
    {
      let new = SyncObjectID(object.entity, assigned)
      renamed[object] = new
      object = new
      key = assigned
      guard let renamed = try storage.complete(values, of: new, over: values) else {
        return rejected("invalid", "The key that the server gave doesn't fit \(object.entity)")
      }
      values = renamed
      entry = entries[new] ?? keys.entry(of: new)
      guard entry.values == nil else {
        return rejected("duplicate", "The key that the server gave is another's")
      }
    }
    entry.values = values
    let outcome = accept(object, &entry, values, &entries, &writes)
    guard case .accepted(let version, _, _) = outcome else { return outcome }
    return .accepted(version: version, key: key, values: values == redirected ? nil : values)
  }

  private func accept(
    _ object: SyncObjectID, _ entry: inout SyncServerEntry, _ values: SyncValues?,
    _ entries: inout [SyncObjectID: SyncServerEntry], _ writes: inout SyncServerWrites
  ) -> SyncOutcome {
    assignVersion(to: object, &entry, &writes)
    writes.values.append((object, values))
    entries[object] = entry
    return .accepted(version: writes.progress.version)
  }

  private func conflict(
    _ object: SyncObjectID, _ entry: SyncServerEntry, _ change: SyncChange
  ) -> SyncOutcome {
    var remote = SyncRemote(object: object, version: entry.version ?? 0, values: entry.values)
    remote.skipped = change.baseVersion.flatMap { skipped.skipped($0, newest: progress.version) }
    return .conflict(remote)
  }

  /// The outcome of a change of another user's object; it has no values.
  private var foreign: SyncOutcome { rejected("forbidden", "The object isn't the user's") }

  /// The rejection of a deletion that would cascade to an object of another user.
  private var beyond: SyncRejection {
    SyncRejection(
      code: "forbidden", message: "Something that isn't the user's would be deleted with the object"
    )
  }

  private func rejected(_ code: String, _ message: String) -> SyncOutcome {
    .rejected(SyncRejection(code: code, message: message))
  }

  /// Redirects references to objects that got another key in the same push.
  private func redirect(
    _ values: SyncValues, of entity: String, _ renamed: [SyncObjectID: SyncObjectID]
  ) -> SyncValues {
    schema.redirected(values, of: entity, renamed) { key, _, old in
      if case .integer = old, let number = Int64(key) { return .integer(number) }
      return .text(key)
    }
  }
}
