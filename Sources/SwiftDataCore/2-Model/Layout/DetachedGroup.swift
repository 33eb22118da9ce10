import Foundation

/// Models without a context that relationships have connected, whichever end was set.
///
/// A model doesn't know which models lead to it before it is in a context, which knows the inverses. So the models that
/// may have to come into a context together are kept in a list. It doesn't keep them alive: it stores their addresses,
/// and a model's state removes the model when it is destroyed (see ``RowIDMap``). The models' destinations are read
/// when one of the models is inserted, so a model whose relationship has changed meanwhile may stay in here. The lock
/// is needed for models whose last reference is released on another thread.
final class DetachedGroup {
  private struct Member {
    let fields: UnsafeMutablePointer<ModelFields>
    let model: WeakAddress
  }

  private static let lock = NSLock()
  // Accessed under the lock only. The group is retained as long as it has members.
  @exclusivity(unchecked) private var members: [Member] = []

  /// Records that a relationship of `model` leads to `destination`. Does nothing unless both are in no context.
  static func connect(_ model: any PersistentModel, _ destination: any PersistentModel) {
    guard model !== destination, let first = member(model), let second = member(destination) else {
      return
    }
    var emptied: Unmanaged<DetachedGroup>?
    lock.withLock {
      switch (group(of: first.fields), group(of: second.fields)) {
      case (nil, nil):
        let made = DetachedGroup()
        _ = Unmanaged.passRetained(made)
        made.append(first)
        made.append(second)
      case (let group?, nil): group.append(second)
      case (nil, let group?): group.append(first)
      case (let one?, let other?) where one !== other:
        let (large, small) = one.members.count < other.members.count ? (other, one) : (one, other)
        for member in small.members { large.append(member) }
        small.members = []
        emptied = .passUnretained(small)
      default: break
      }
    }
    emptied?.release()
  }

  /// Dissolves the group of a model.
  ///
  /// - Returns: The other members of the group.
  static func dissolve(around state: _ModelState) -> [any PersistentModel] {
    guard state.fields.pointee.isGrouped else { return [] }
    var found: [AnyObject] = []
    var emptied: Unmanaged<DetachedGroup>?
    lock.withLock {
      guard let group = group(of: state.fields) else { return }
      found.reserveCapacity(group.members.count)
      for member in group.members {
        if member.fields != state.fields, let model = member.model.object { found.append(model) }
        // The last access: from now on the model may be destroyed.
        member.fields.pointee.address = nil
      }
      group.members = []
      emptied = .passUnretained(group)
    }
    emptied?.release()
    return found.compactMap { $0 as? any PersistentModel }
  }

  /// Removes a model that is being destroyed or comes into a context.
  @inline(never)
  static func leave(_ fields: UnsafeMutablePointer<ModelFields>) {
    var emptied: Unmanaged<DetachedGroup>?
    lock.withLock {
      guard let group = group(of: fields) else { return }
      group.remove(at: Int(fields.pointee.groupPosition))
      fields.pointee.address = nil
      // A single member isn't connected with any other model.
      if group.members.count == 1 {
        group.members[0].fields.pointee.address = nil
        group.members = []
      }
      if group.members.isEmpty { emptied = .passUnretained(group) }
    }
    emptied?.release()
  }

  private static func group(of fields: UnsafeMutablePointer<ModelFields>) -> DetachedGroup? {
    guard fields.pointee.isGrouped, let address = fields.pointee.address else { return nil }
    return Unmanaged<DetachedGroup>.fromOpaque(address).takeUnretainedValue()
  }

  /// Returns the model as a member; nil for one that has a context or had a row, and for one whose state is a separate
  /// object.
  private static func member(_ model: any PersistentModel) -> Member? {
    let state = model._$modelState
    guard state.owner === model, state.link == nil, state.rowID == 0,
      state.flags.isDisjoint(with: [.rowDeleted, .alias])
    else { return nil }
    return Member(fields: state.fields, model: WeakAddress(model as AnyObject))
  }

  private func append(_ member: Member) {
    member.fields.pointee.address = Unmanaged.passUnretained(self).toOpaque()
    member.fields.pointee.groupPosition = Int32(members.count)
    members.append(member)
  }

  private func remove(at position: Int) {
    let last = members.removeLast()
    guard position < members.count else { return }
    members[position] = last
    last.fields.pointee.groupPosition = Int32(position)
  }
}
