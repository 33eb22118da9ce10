/// The bookkeeping of a server: assigns versions to objects, processes pushes and pulls.
///
/// Every push is one transaction, including its outcomes, so a client that repeats a request gets the same outcomes.
package final class SyncServerLedger {
  let storage: any SyncServerStorage
  let schema: SyncSchema
  let rules: SyncServerRules
  private(set) var progress: SyncServerProgress
  /// See ``SyncPage/skippedVersions``.
  private var skipped: [ClosedRange<Int64>]
  /// The first version that this ledger assigned; a store with an earlier newest version was replaced by a copy.
  var first = Int64.max
  /// Whether the store names the properties that this server synchronizes.
  var isSchemaNoted = false
  /// Whether a server with other models works on the store.
  var isReplaced = false
  /// The number of this server among those that have begun to work on the store.
  let number: Int64
  let beginning: (_ newest: Int64) -> Int64
  let portions: Portions
  private static let maximumAttempts = 1_000
  /// The number of times that the changes of a push are decided anew because some were refused.
  private static let maximumRounds = 8

  /// - Parameters:
  ///   - beginning: Returns the first version to assign after the newest one of the store, see
  ///     ``SyncServer/firstVersion(after:)``.
  ///   - portions: Limits for what is noted at a time.
  package init(
    _ storage: any SyncServerStorage, _ schema: SyncSchema, _ rules: SyncServerRules,
    beginning: @escaping (_ newest: Int64) -> Int64 = SyncServer.firstVersion(after:),
    portions: Portions = Portions()
  ) throws {
    self.storage = storage
    self.schema = schema
    self.rules = rules
    self.beginning = beginning
    self.portions = portions
    number = try storage.begin()
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
      hasMore: found.hasMore,
      coverage: isFull ? .full(entities: schema.entities.keys.sorted()) : .delta)
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

  /// Performs an operation in one transaction, and repeats it when the store changed in between.
  ///
  /// - Parameter isExact: Whether `body` depends on the objects as they are. Otherwise, only the ledger's own tables
  ///   have to be as they were.
  func perform<Result>(
    isExact: Bool, _ body: (inout SyncServerWrites, Int64) throws -> Result
  ) throws -> Result {
    for attempt in 0..<Self.maximumAttempts {
      if isExact, attempt > 0 || !isSchemaNoted { try checkpoint() }
      // The position comes last: another server's checkpoint, which is in the progress, is never beyond it.
      try refresh()
      let position = try storage.position()
      var writes = SyncServerWrites(progress)
      do {
        let result = try body(&writes, position)
        var unchanged = progress
        unchanged.revision = writes.progress.revision
        if unchanged == writes.progress, writes.answers.isEmpty, writes.claim == nil {
          return result
        }
        try storage.commit(writes, at: isExact ? position : nil)
        progress = writes.progress
        if let range = writes.skipped {
          skipped = (skipped + [range]).suffix(SyncPage.maximumSkipped)
        }
        return result
      } catch is SyncStale {}
    }
    throw SyncError.busy
  }

  /// Reads the progress again, because another server may have written to the same store.
  ///
  /// - Throws: ``SyncError/Code/unsupported`` when a server with other models has begun to work on the store.
  func refresh() throws {
    if let stored = try storage.progress(), stored != progress || !isSchemaNoted {
      let ranges = try storage.skippedVersions()
      try noteOtherServer()
      (progress, skipped) = (stored, ranges)
    }
    guard !isReplaced else {
      throw SyncError(
        .unsupported,
        "A server that synchronizes other classes or properties has begun to work on the store. Servers on one store"
          + " need the same models. The one that began last goes on: this one has to be started anew."
      )
    }
  }
}

// MARK: - Push

extension SyncServerLedger {
  /// Stores the acceptable changes in one transaction.
  ///
  /// - Parameter maximumWeight: The approximate maximum number of bytes of objects in the response, and of objects that
  ///   are compared with: further changes get no outcome.
  /// - Returns: The outcome of each change, by its ID.
  package func push(
    _ changes: [SyncChange], client: String, user: String, maximumWeight: Int = .max
  ) throws -> [String: SyncOutcome] {
    var outcomes = try answer(
      changes, client: client, user: user, maximumWeight: maximumWeight)
    var weight = 0
    for change in changes {
      let values: SyncValues?
      switch outcomes[change.id] {
      case .conflict(let remote): values = remote.values
      case .accepted(_, _, let stored): values = stored
      default: values = nil
      }
      guard let values else { continue }
      // The outcome is kept, or can be found again in the next push.
      if weight > maximumWeight { outcomes[change.id] = nil }
      let (sum, isBeyond) = weight.addingReportingOverflow(SyncAttachment.weight(of: values))
      weight = isBeyond ? .max : sum
    }
    return outcomes
  }

  private func answer(
    _ changes: [SyncChange], client: String, user: String, maximumWeight: Int
  ) throws -> [String: SyncOutcome] {
    let client = Self.name(of: client, user: user)
    var changes = changes
    for index in changes.indices {
      changes[index].object = storage.canonical(changes[index].object)
    }
    var attempts = 0
    return try perform(isExact: true) { writes, position in
      attempts += 1
      try catchUp(&writes, position)
      var outcomes = try storage.remembered(changes.map(\.id), client: client)
      let new = changes.filter { outcomes[$0.id] == nil }
      let renamed = Self.renamed(changes, outcomes)
      try renew(&outcomes, changes, user, writes, maximumWeight)
      guard !new.isEmpty else { return outcomes }
      advance(&writes)
      let count = Self.length(of: new.count, attempt: attempts)
      for (change, outcome) in try decide(
        new, first: count, user, renamed, &writes, maximumWeight)
      {
        outcomes[change.id] = outcome
        writes.answers.append((client, change.id, Self.remembered(outcome, of: change)))
      }
      return outcomes
    }
  }

  /// Returns the changes that already have outcomes.
  package func remembered(
    _ changes: Set<String>, client: String, user: String
  ) throws -> Set<String> {
    let name = Self.name(of: client, user: user)
    return Set(try storage.remembered(Array(changes), client: name).keys)
  }

  /// The outcomes of changes, in their order.
  private struct Decisions {
    var outcomes: [(change: SyncChange, outcome: SyncOutcome)]
    /// The objects that prevent refused changes, by the changes' IDs.
    var obstacles: [String: SyncObjectID] = [:]

    /// Leaves out refused changes as long as others may remove their obstacles, if any outcome remains.
    func without(_ undecided: [SyncChange]) -> [(change: SyncChange, outcome: SyncOutcome)] {
      var objects = Set(undecided.map(\.object))
      var kept = outcomes
      while true {
        let open = kept.filter { obstacles[$0.change.id].map(objects.contains) ?? false }
        guard !open.isEmpty else { break }
        // Without an outcome, they may remove the obstacles of others.
        objects.formUnion(open.map(\.change.object))
        let left = Set(open.map(\.change.id))
        kept.removeAll { left.contains($0.change.id) }
      }
      return kept.isEmpty ? outcomes : kept
    }
  }

  /// Decides the first ones of changes, and those that may remove an obstacle of one of them.
  private func decide(
    _ all: [SyncChange], first count: Int, _ user: String,
    _ former: [SyncObjectID: SyncObjectID], _ writes: inout SyncServerWrites, _ maximumWeight: Int
  ) throws -> [(change: SyncChange, outcome: SyncOutcome)] {
    var part = Array(all.prefix(count))
    var growths = 0
    while true {
      var attempt = writes
      let found = try decide(part, user, former, &attempt, maximumWeight)
      let members = Set(part.map(\.id))
      let named = try needed(
        Set(found.obstacles.values), among: all.filter { !members.contains($0.id) })
      var larger = all.filter { members.contains($0.id) || named.contains($0.object) }
      guard larger.count > part.count else {
        writes = attempt
        let decided = Set(found.outcomes.map(\.change.id))
        return found.without(part.filter { !decided.contains($0.id) })
      }
      growths += 1
      // A chain of obstacles, of which each attempt finds the next one, would cost the square of its length.
      let missing = 2 * part.count - larger.count
      if growths > 3, missing > 0 {
        let taken = Set(larger.map(\.id))
        let further = Set(all.filter { !taken.contains($0.id) }.prefix(missing).map(\.id))
        larger = all.filter { taken.contains($0.id) || further.contains($0.id) }
      }
      part = larger
    }
  }

  /// Decides all changes, and repeats this without those that the resulting state doesn't allow to be stored.
  ///
  /// - Parameter former: The objects that got another key before.
  /// - Returns: The outcomes of the first changes whose objects can be in memory together. When refusals lead to
  ///   further ones again and again, only the refused changes have outcomes.
  private func decide(
    _ all: [SyncChange], _ user: String, _ former: [SyncObjectID: SyncObjectID],
    _ writes: inout SyncServerWrites, _ maximumWeight: Int
  ) throws -> Decisions {
    let (changes, found) = try loaded(all, writes, maximumWeight / 2) { $0.object }
    var known = found
    // An object that the history didn't name: no client has made its change upon the present state.
    for (object, var entry) in found where entry.values != nil && entry.version == nil {
      assignVersion(to: object, &entry, &writes)
      known[object] = entry
    }
    var refused: [String: SyncRejection] = [:]
    var preventing: [String: SyncObjectID] = [:]
    var keys = AssignedKeys()
    var rounds = 0
    while true {
      var (attempt, entries) = (writes, known)
      var renamed = former
      var outcomes: [(change: SyncChange, outcome: SyncOutcome)] = []
      var written: [SyncObjectID: String] = [:]
      for change in changes {
        if let rejection = refused[change.id] {
          outcomes.append((change, .rejected(rejection)))
          continue
        }
        let count = attempt.values.count
        outcomes.append(
          (change, try decide(change, user, &entries, &renamed, &keys, &attempt)))
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
      // What a change in conflict was to move away would be deleted.
      if let torn = torn(outcomes, dependents, known) {
        return Decisions(outcomes: torn, obstacles: preventing)
      }
      let reached = Set(dependents.values.joined())
      let hidden = try hidden(reached, from: user, entries, attempt)
      var refusals = dependents.compactMapValues { $0.isDisjoint(with: hidden) ? nil : beyond }
      for (object, obstacle) in try storage.obstacles(to: attempt.values) {
        refusals[object] = obstacle.rejection(of: object)
        if let id = written[object] { preventing[id] = obstacle.other }
      }
      for (object, rejection) in refusals {
        if let id = written[object] { refused[id] = rejection }
      }
      guard refusals.keys.contains(where: { written[$0] != nil }) else {
        try bury(reached, &attempt)
        writes = attempt
        return Decisions(outcomes: outcomes, obstacles: preventing)
      }
      rounds += 1
      if rounds == Self.maximumRounds {
        let outcomes = changes.compactMap { change in
          refused[change.id].map { (change, SyncOutcome.rejected($0)) }
        }
        return Decisions(outcomes: outcomes, obstacles: preventing)
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
    let hidden = try hidden(destinations, from: user, entries, writes)
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
    _ objects: Set<SyncObjectID>, from user: String, _ entries: [SyncObjectID: SyncServerEntry],
    _ writes: SyncServerWrites
  ) throws -> Set<SyncObjectID> {
    guard !rules.isOpen, !objects.isEmpty else { return [] }
    let others = try load(objects.filter { entries[$0] == nil }, writes)
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
    let entries = try load(others, writes)
    for object in others {
      guard var entry = entries[object] else { continue }
      if entry.version == nil, let values = entry.values {
        entry.scope = rules.scope(object, values)
      }
      entry.values = nil
      assignVersion(to: object, &entry, &writes)
    }
  }

  private func decide(
    _ change: SyncChange, _ user: String, _ entries: inout [SyncObjectID: SyncServerEntry],
    _ renamed: inout [SyncObjectID: SyncObjectID], _ keys: inout AssignedKeys,
    _ writes: inout SyncServerWrites
  ) throws -> SyncOutcome {
    var object = change.object
    guard schema.entities[object.entity] != nil else { return unknown(object) }
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
    let other = values.filter { redirected[$0.key] != $0.value }
    return .accepted(version: version, key: key, values: other.isEmpty ? nil : other)
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

  func conflict(
    _ object: SyncObjectID, _ entry: SyncServerEntry, _ change: SyncChange
  ) -> SyncOutcome {
    var remote = SyncRemote(object: object, version: entry.version ?? 0, values: entry.values)
    remote.skipped = change.baseVersion.flatMap { skipped.skipped($0, newest: progress.version) }
    return .conflict(remote)
  }

  /// The outcome of a change of another user's object; it has no values.
  var foreign: SyncOutcome { rejected("forbidden", "The object isn't the user's") }

  /// The outcome of a change of an object whose entity isn't synchronized.
  func unknown(_ object: SyncObjectID) -> SyncOutcome {
    rejected("unknownEntity", "The server has no \(object.entity)")
  }

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
