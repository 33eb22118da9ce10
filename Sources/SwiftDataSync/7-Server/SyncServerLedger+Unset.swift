/// The treatment of properties that a server began to synchronize when it had objects already.
///
/// Clients that synchronized them before may have sent values of them, which a server without them accepts without
/// storing. The initial value that the store has isn't a change of these.
extension SyncServerLedger {
  /// Returns the properties that no server of the store has synchronized before, of entities that the last one did.
  func additions(beyond claim: SyncServerClaim) throws -> [String: Set<String>] {
    guard let named = claim.properties else { return [:] }
    let former = try storage.additions()
    return schema.properties.reduce(into: [:]) { additions, entity in
      guard let known = named[entity.key] else { return }
      let names = Set(entity.value).subtracting(known).subtracting(
        former[entity.key, default: [:]].keys)
      if !names.isEmpty { additions[entity.key] = names }
    }
  }

  /// Returns the properties that the last server of the store synchronized and this one doesn't, as additions without a
  /// version: values that clients agreed on with that server aren't sent again when another one knows them.
  func removals(from claim: SyncServerClaim) throws -> [String: [String: Int64]] {
    let former = try storage.additions()
    return (claim.properties ?? [:]).reduce(into: [:]) { removals, entity in
      let names = Set(entity.value).subtracting(schema.properties[entity.key] ?? [])
        .subtracting(former[entity.key, default: [:]].keys)
      for name in names { removals[entity.key, default: [:]][name] = 0 }
    }
  }

  /// Returns an object as clients get it, see ``SyncRemote/unset``.
  ///
  /// - Parameter isComplete: Whether its values include those that aren't set, as for a client that may not have it.
  func namingUnset(_ remote: SyncRemote, isComplete: Bool) -> SyncRemote {
    guard let added = additions[remote.object.entity], let values = remote.values,
      let initial = schema.entities[remote.object.entity]?.initial
    else { return remote }
    var named = remote
    for (property, version) in added where version > 0 && remote.version <= version {
      guard let value = values[property], value == initial[property] else { continue }
      named.unset.insert(property)
      if !isComplete { named.values?[property] = nil }
    }
    return named
  }
}
