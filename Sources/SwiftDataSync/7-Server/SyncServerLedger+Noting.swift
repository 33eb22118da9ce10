/// Versions for changes by authors other than clients.
extension SyncServerLedger {
  /// Limits for what is noted at a time.
  package struct Portions: Sendable {
    /// The approximate number of objects that are noted in one transaction.
    package var objects = 1_000
    /// The maximum number of objects that get one version.
    package var version = 5_000
    /// The approximate maximum number of bytes of the objects that get one version.
    package var weight = 16 << 20
    /// The number of objects that are in memory together.
    package var loaded = 500

    package init() {}
  }

  /// Assigns versions to objects that authors other than clients have saved, in portions with a transaction each. What
  /// is saved meanwhile is noted later.
  func checkpoint() throws {
    // A server whose properties aren't the named ones would pass over edits: it names its own first.
    if !isSchemaNoted, try storage.claim().properties != nil { try noteSchema() }
    try noteHistory()
    guard !isSchemaNoted else { return }
    try noteSchema()
    try noteHistory()
  }

  private func noteHistory() throws {
    while true {
      do {
        while try perform(isExact: false, { try notePortion(&$0, $1) }) {}
        return
      } catch is SyncHistoryExpired {
        // Another server on the store may have noted what the history no longer has.
        if let stored = try storage.progress(), stored != progress { continue }
        return try noteAll()
      }
    }
  }

  /// - Returns: Whether there is more.
  private func notePortion(_ writes: inout SyncServerWrites, _ position: Int64) throws -> Bool {
    guard position != writes.progress.checkpoint else { return false }
    let through = try note(&writes, upTo: position) ?? position
    writes.progress.checkpoint = min(through, position)
    return through < position
  }

  /// Assigns versions to what has been saved since ``checkpoint()``, within another transaction.
  func catchUp(_ writes: inout SyncServerWrites, _ position: Int64) throws {
    guard position != writes.progress.checkpoint else { return }
    do {
      guard try note(&writes, upTo: position) ?? position >= position else { throw SyncStale() }
    } catch is SyncHistoryExpired { throw SyncStale() }
    writes.progress.checkpoint = position
  }

  /// - Returns: The last transaction that was read; nil when all were.
  private func note(_ writes: inout SyncServerWrites, upTo position: Int64) throws -> Int64? {
    // A transaction that the store doesn't have, as of a later state of it.
    guard (0...position).contains(writes.progress.checkpoint) else { throw SyncHistoryExpired() }
    let (edits, through) = try storage.edits(
      after: writes.progress.checkpoint, limit: portions.objects)
    try note(edits.filter { $0.transaction <= position }.map(\.objects), &writes)
    return through
  }

  /// Assigns versions to all objects: the history doesn't tell which ones have changed.
  private func noteAll() throws {
    let position = try storage.position()
    try noteInPortions(try storage.allObjects())
    try perform(isExact: false) { writes, _ in writes.progress.checkpoint = position }
  }

  /// Assigns versions to objects that weren't changed together.
  private func noteInPortions(_ objects: [SyncObjectID]) throws {
    for start in stride(from: 0, to: objects.count, by: portions.objects) {
      let part = Array(objects[start..<min(start + portions.objects, objects.count)])
      try perform(isExact: false) { writes, _ in try note([part], &writes) }
    }
  }

  /// Assigns versions to objects: one to those that were changed together, if they aren't too many for a page.
  private func note(_ edits: [[SyncObjectID]], _ writes: inout SyncServerWrites) throws {
    let items = edits.flatMap { objects in
      objects.enumerated().map { (object: $0.element, isFirst: $0.offset == 0) }
    }
    var (room, weight) = (0, 0)
    for start in stride(from: 0, to: items.count, by: portions.loaded) {
      let part = items[start..<min(start + portions.loaded, items.count)]
      var entries = try load(Array(Set(part.map(\.object))), writes)
      for (object, isFirst) in part {
        if isFirst { room = 0 }
        // An object without a version was never synchronized; it may no longer exist.
        guard var entry = entries[object], entry.values != nil || entry.version != nil else {
          continue
        }
        if room == 0 || weight > portions.weight {
          advance(&writes)
          (room, weight) = (portions.version, 0)
        }
        assignVersion(to: object, &entry, &writes)
        writes.entries[object]?.values = nil
        entries[object] = entry
        room -= 1
        weight += Self.weight(of: entry.values ?? [:])
      }
    }
  }

  // MARK: Versions

  /// Returns the states of objects, with the versions that are about to be stored.
  func load(
    _ objects: [SyncObjectID], _ writes: SyncServerWrites
  ) throws -> [SyncObjectID: SyncServerEntry] {
    guard !objects.isEmpty else { return [:] }
    var entries = try storage.load(objects)
    for object in objects {
      guard let noted = writes.entries[object] else { continue }
      var entry = entries[object] ?? SyncServerEntry()
      (entry.version, entry.scope) = (noted.version, noted.scope)
      entries[object] = entry
    }
    return entries
  }

  func assignVersion(
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
  func advance(_ writes: inout SyncServerWrites) {
    let newest = writes.progress.version
    writes.progress.version = newest + 1
    guard writes.skipped == nil, newest < first else { return }
    first = max(beginning(newest), newest + 1)
    writes.progress.version = first
    if first > newest + 1 { writes.skipped = newest + 1...first - 1 }
  }
}

/// The treatment of entities and properties that the last server on the store didn't synchronize.
extension SyncServerLedger {
  /// Compares the schema with the one that the store was last used with, before the first operation. Objects of
  /// further entities, and those with further properties, get new versions: clients lack them, or some of their values.
  ///
  /// Stores of earlier versions of the framework don't name the properties; objects without a version show that their
  /// entity wasn't synchronized.
  private func noteSchema() throws {
    let properties = schema.properties
    guard !properties.isEmpty else {
      isSchemaNoted = true
      return
    }
    while !isSchemaNoted {
      try refresh()
      let checkpoint = progress.checkpoint
      let claim = try storage.claim()
      let isOther = claim.properties != properties
      if isOther { try noteInPortions(try objects(beyond: claim.properties)) }
      guard isOther || claim.number < number else {
        isSchemaNoted = true
        return
      }
      isSchemaNoted = try perform(isExact: false) { writes, _ in
        guard try storage.claim() == claim else { return false }
        writes.claim = SyncServerClaim(
          properties: properties, former: claim.entities.subtracting(properties.keys),
          number: max(number, claim.number))
        // Clients that fetched everything without entities that are back lack what was forgotten of these, and haven't
        // sent what the server lost: all clients compare everything.
        if !claim.former.isDisjoint(with: properties.keys) {
          advance(&writes)
          writes.progress.forgotten = writes.progress.version
        }
        // Servers with other properties have passed over edits meanwhile. They refuse requests from now on.
        if isOther { writes.progress.checkpoint = min(writes.progress.checkpoint, checkpoint) }
        return true
      }
    }
  }

  /// Returns the objects that have entities or properties beyond the named ones.
  private func objects(beyond named: [String: [String]]?) throws -> [SyncObjectID] {
    guard let named else { return try storage.objectsWithoutVersions() }
    let added = schema.properties.filter { entity, properties in
      named[entity].map { !Set(properties).isSubset(of: $0) } ?? true
    }
    guard !added.isEmpty else { return [] }
    return try storage.allObjects().filter { added[$0.entity] != nil }
  }

  /// Notices that a server with another schema works on the store: it passes over edits of objects that it doesn't
  /// synchronize. The one that began last goes on.
  func noteOtherServer() throws {
    guard !schema.properties.isEmpty else { return }
    let claim = try storage.claim()
    // A copy from before this server's first request may have replaced the store.
    if claim.properties == nil || claim.number < number { isSchemaNoted = false }
    let isOther = claim.properties != nil && claim.properties != schema.properties
    isReplaced = isOther && (isSchemaNoted || claim.number > number)
  }
}
