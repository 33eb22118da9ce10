/// The treatment of properties and entities that another version of the app didn't synchronize.
extension SyncLedger {
  /// Compares the schema with the one with which the store was last used, before the first operation.
  func noteSchema() throws {
    guard !isSchemaNoted else { return }
    isSchemaNoted = true
    let properties = schema.properties
    guard !properties.isEmpty, progress.properties != properties else { return }
    do { try perform { draft in try note(properties, &draft) } } catch {
      isSchemaNoted = false
      throw error
    }
  }

  /// Begins a comparison with the server when this version of the app synchronizes more than the last one that used the
  /// store: pages before the cursor had values that weren't stored.
  ///
  /// Stores of earlier versions of the framework don't name the properties; the base values of their objects do.
  private func note(_ properties: [String: [String]], _ draft: inout Draft) throws {
    let stored = draft.writes.progress.properties
    guard stored != properties else { return }
    let former = try stored ?? recorded(properties)
    draft.writes.progress.properties = properties
    let new = Set(properties.keys.filter { former[$0] == nil })
    let added = properties.reduce(into: [String: Set<String>]()) { added, entity in
      guard let known = former[entity.key] else { return }
      let names = Set(entity.value).subtracting(known)
      if !names.isEmpty { added[entity.key] = names }
    }
    try noteObjects(of: new, adding: stored == nil ? [:] : added, isNamed: stored != nil, &draft)
    let isNewThere = try !new.isEmpty && (stored != nil || hasUnreadable(of: new))
    guard !added.isEmpty || isNewThere else { return }
    beginComparison(&draft)
    draft.writes.progress.isCatchingUp = true
  }

  /// Returns the properties that the objects of each entity have in their base values; entities without such objects
  /// are left out.
  private func recorded(_ properties: [String: [String]]) throws -> [String: [String]] {
    var recorded: [String: [String]] = [:]
    for entity in properties.keys {
      guard let values = try storage.firstAgreement(of: entity) else { continue }
      recorded[entity] = Array(values.keys)
    }
    return recorded
  }

  /// Whether objects of the entities arrived that couldn't be stored, as those of an entity that wasn't synchronized.
  private func hasUnreadable(of entities: Set<String>) throws -> Bool {
    try storage.quarantined().contains { object, quarantine in
      quarantine.reason == .unreadable && entities.contains(object.entity)
    }
  }

  /// Prepares the records of objects whose entity or properties weren't synchronized, for the comparison.
  ///
  /// Objects of new entities may be edits that the history doesn't name. Agreements of a version of the app before the
  /// last one no longer count: the rows may have been created anew since, without the user's doing.
  ///
  /// - Parameters:
  ///   - new: The entities that weren't synchronized.
  ///   - added: The properties that weren't synchronized, of other entities.
  ///   - isNamed: Whether the store names the properties that were synchronized.
  private func noteObjects(
    of new: Set<String>, adding added: [String: Set<String>], isNamed: Bool, _ draft: inout Draft
  ) throws {
    guard !new.isEmpty || !added.isEmpty else { return }
    let objects = try storage.allObjects().filter {
      new.contains($0.entity) || added[$0.entity] != nil
    }
    for start in stride(from: 0, to: objects.count, by: 1_000) {
      let part = Array(objects[start..<min(start + 1_000, objects.count)])
      for (object, entry) in try storage.load(part) {
        var record = entry.record
        for property in added[object.entity] ?? [] { record.base?[property] = nil }
        if new.contains(object.entity) {
          if entry.values == nil, isNamed {
            // No deletion is known of it.
            (record.version, record.base) = (nil, nil)
          } else if entry.isEdited || entry.presence == .back, record.quarantine == nil {
            // After a restart, nothing else shows that the object has to be sent.
            record.isPending = true
            draft.pending.note([object], in: draft.position)
          }
        }
        if record != entry.record { draft.writes.records[object] = record }
      }
    }
  }
}
