/// Repeated changes, and limits for what a push reads and answers.
extension SyncServerLedger {
  /// Returns the part of an outcome that is stored: a repeated conflict is reported with the current state, and so is
  /// what a change doesn't speak of.
  static func remembered(_ outcome: SyncOutcome, of change: SyncChange) -> SyncOutcome {
    switch outcome {
    case .conflict(var remote):
      remote.values = nil
      return .conflict(remote)
    case .accepted(let version, let key, let values?):
      let spoken = values.filter { change.values?[$0.key] != nil }
      return .accepted(version: version, key: key, values: spoken.isEmpty ? nil : spoken)
    default: return outcome
    }
  }

  /// Returns the objects that got another key when their changes were stored.
  static func renamed(
    _ changes: [SyncChange], _ outcomes: [String: SyncOutcome]
  ) -> [SyncObjectID: SyncObjectID] {
    changes.reduce(into: [:]) { renamed, change in
      guard case .accepted(_, let key?, _) = outcomes[change.id], key != change.object.key else {
        return
      }
      renamed[change.object] = SyncObjectID(change.object.entity, key)
    }
  }

  /// Updates repeated outcomes: a change that was once in conflict is never stored, however late it is repeated, and
  /// its outcome contains the current state, if the user may still read it. An accepted change gets the values that it
  /// doesn't speak of, unless the object has changed since.
  func renew(
    _ outcomes: inout [String: SyncOutcome], _ changes: [SyncChange], _ user: String,
    _ writes: SyncServerWrites, _ maximumWeight: Int
  ) throws {
    var objects: [String: SyncObjectID] = [:]
    for change in changes {
      switch outcomes[change.id] {
      case .conflict(let remote): objects[change.id] = remote.object
      case .accepted(_, let key, _) where isPartial(change):
        objects[change.id] = SyncObjectID(change.object.entity, key ?? change.object.key)
      default: break
      }
    }
    let repeated = changes.filter { objects[$0.id] != nil }
    let (shown, entries) = try loaded(repeated, writes, maximumWeight) {
      objects[$0.id] ?? $0.object
    }
    for change in repeated.dropFirst(shown.count) { outcomes[change.id] = nil }
    for change in shown {
      guard let object = objects[change.id] else { continue }
      guard schema.entities[object.entity] != nil else {
        outcomes[change.id] = unknown(object)
        continue
      }
      let entry = entries[object] ?? SyncServerEntry()
      let isAllowed = rules.allow(user, toRead: object, entry)
      switch outcomes[change.id] {
      case .conflict: outcomes[change.id] = isAllowed ? conflict(object, entry, change) : foreign
      case .accepted(let version, let key, let values)
      where isAllowed && entry.version == version:
        let unspoken = (entry.values ?? [:]).filter { change.values?[$0.key] == nil }
        let stored = unspoken.merging(values ?? [:]) { $1 }
        outcomes[change.id] = .accepted(
          version: version, key: key, values: stored.isEmpty ? nil : stored)
      default: break
      }
    }
  }

  /// Whether a change doesn't speak of all properties.
  private func isPartial(_ change: SyncChange) -> Bool {
    guard let values = change.values, let entity = schema.entities[change.object.entity] else {
      return false
    }
    return entity.properties.isEmpty || entity.properties.contains { values[$0] == nil }
  }

  /// Returns the first changes, as many as have objects up to a weight, with the states of these objects.
  ///
  /// - Parameter object: Returns the object of a change.
  func loaded(
    _ changes: [SyncChange], _ writes: SyncServerWrites, _ maximumWeight: Int,
    _ object: (SyncChange) -> SyncObjectID
  ) throws -> (changes: [SyncChange], known: [SyncObjectID: SyncServerEntry]) {
    var known: [SyncObjectID: SyncServerEntry] = [:]
    var (weight, end, length) = (0, 0, 16)
    while end < changes.count, weight <= maximumWeight {
      let part = changes[end..<min(end + length, changes.count)]
      end = part.endIndex
      let found = try load(Array(Set(part.map(object)).subtracting(known.keys)), writes)
      weight += found.values.reduce(0) { $0 + Self.weight(of: $1.values ?? [:]) }
      known.merge(found) { $1 }
      if weight <= maximumWeight / 8 { length = min(2 * length, 1_024) }
    }
    return (Array(changes.prefix(end)), known)
  }

  /// Returns the approximate number of bytes of an object, without those of attachments.
  static func weight(of values: SyncValues) -> Int {
    values.reduce(0) { sum, member in
      if SyncAttachment(member.value) != nil { return sum + 64 }
      return sum + SyncAttachment.weight(of: [member.key: member.value])
    }
  }
}
