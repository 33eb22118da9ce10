/// Merges the local and the remote changes of an object since both sides last agreed.
package enum ThreeWayMerge {
  package struct Result: Equatable, Sendable {
    /// The resulting local values; nil when the object is to be deleted.
    package var values: SyncValues?
    /// The conflict and its resolution; nil when no property was changed on both sides.
    package var resolution: SyncResolution?
  }

  /// - Parameters:
  ///   - base: The values on which both sides agreed; nil when they never did, or agreed that the object doesn't exist.
  ///   - local: The local values; nil when the object doesn't exist.
  ///   - remote: The server's values; nil when the object doesn't exist.
  ///   - lists: The properties that are merged by element.
  package static func merge(
    _ object: SyncObjectID, base: SyncValues?, local: SyncValues?, remote: SyncValues?,
    policy: SyncPolicy, lists: [String: SyncSchema.List] = [:]
  ) -> Result {
    if local == base || local == remote { return Result(values: remote) }
    if remote == base { return Result(values: local) }
    guard let local, let remote else {
      let conflict = SyncConflict(
        object: object, base: base, local: local, remote: remote, properties: [])
      let decision = decide(conflict, policy)
      let values: SyncValues? =
        switch decision {
        case .server: remote
        case .client: local
        case .values(let values): values
        }
      return Result(
        values: values,
        resolution: SyncResolution(conflict: conflict, decision: decision, result: values))
    }
    return merge(object, base, local, remote, policy, lists)
  }

  private static func merge(
    _ object: SyncObjectID, _ base: SyncValues?, _ local: SyncValues, _ remote: SyncValues,
    _ policy: SyncPolicy, _ lists: [String: SyncSchema.List]
  ) -> Result {
    var merged = remote
    var disputed: [String] = []
    for (property, mine) in local {
      let theirs = remote[property]
      // A property that the server doesn't send keeps its local value.
      guard let theirs else {
        merged[property] = mine
        continue
      }
      if mine == theirs || mine == base?[property] { continue }
      if let base, theirs == base[property] {
        merged[property] = mine
      } else if let list = lists[property],
        let both = ListMerge.merge(
          base: base?[property], local: mine, remote: theirs, isOrdered: list.isOrdered)
      {
        merged[property] = both
      } else {
        disputed.append(property)
      }
    }
    guard !disputed.isEmpty else { return Result(values: merged) }
    let conflict = SyncConflict(
      object: object, base: base, local: local, remote: remote, properties: disputed.sorted())
    let decision = decide(conflict, policy)
    for property in disputed {
      switch decision {
      case .server: break
      case .client: merged[property] = local[property]
      case .values(let values): if let value = values[property] { merged[property] = value }
      }
    }
    return Result(
      values: merged,
      resolution: SyncResolution(conflict: conflict, decision: decision, result: merged))
  }

  package static func decide(_ conflict: SyncConflict, _ policy: SyncPolicy) -> SyncDecision {
    switch policy {
    case .serverWins: return .server
    case .clientWins: return .client
    case .custom(let decide): return decide(conflict)
    case .latestWins(let property):
      guard let local = conflict.local else { return .server }
      guard let remote = conflict.remote else { return .client }
      return isGreater(local[property], remote[property]) ? .client : .server
    }
  }

  private static func isGreater(_ left: SyncValue?, _ right: SyncValue?) -> Bool {
    switch (left ?? .null, right ?? .null) {
    case (.null, _): false
    case (_, .null): true
    case (.integer(let left), .integer(let right)): left > right
    case (.text(let left), .text(let right)): left > right
    case (let left, let right): (left.number ?? -.infinity) > (right.number ?? -.infinity)
    }
  }
}
