/// The treatment of properties that a server began to synchronize when it had objects already.
///
/// Clients that synchronized them before may have sent values of them, which a server without them accepts without
/// storing. The initial value that the store has isn't a change of these.
extension SyncServerLedger {
  /// Returns the properties of entities that a server with other properties synchronized, without the named ones.
  func additions(beyond named: [String: [String]]?) -> [String: Set<String>] {
    guard let named else { return [:] }
    return schema.properties.reduce(into: [:]) { additions, entity in
      guard let known = named[entity.key] else { return }
      let names = Set(entity.value).subtracting(known)
      if !names.isEmpty { additions[entity.key] = names }
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
    for (property, version) in added where remote.version <= version {
      guard let value = values[property], value == initial[property] else { continue }
      named.unset.insert(property)
      if !isComplete { named.values?[property] = nil }
    }
    return named
  }
}
