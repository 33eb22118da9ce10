/// Tracks the objects with edits that the server may not have, and groups those that were saved
/// together.
package struct PendingEdits: Sendable {
  private struct Edit {
    var first: Int64
    var group: Int64
  }

  private var edits: [SyncObjectID: Edit] = [:]
  /// The objects of each group, by the number of the first transaction that made it.
  private var groups: [Int64: Set<SyncObjectID>] = [:]
  private var division: Division?

  var isEmpty: Bool { edits.isEmpty }
  var count: Int { edits.count }
  func contains(_ object: SyncObjectID) -> Bool { edits[object] != nil }

  var objects: some Collection<SyncObjectID> { edits.keys }

  /// The transaction of the earliest edit.
  var first: Int64? { edits.values.lazy.map(\.first).min() }

  /// The groups, oldest first.
  var groupNumbers: [Int64] { groups.keys.sorted() }

  func group(of object: SyncObjectID) -> Int64? { edits[object]?.group }

  /// The objects of a group, in the order of their first edits.
  func objects(of group: Int64) -> [SyncObjectID] {
    (groups[group] ?? []).map { (first: edits[$0]?.first ?? 0, object: $0) }
      .sorted { ($0.first, $0.object) < ($1.first, $1.object) }.map(\.object)
  }

  func count(of group: Int64) -> Int { groups[group]?.count ?? 0 }

  func first(of object: SyncObjectID) -> Int64 { edits[object]?.first ?? .max }

  /// Records a transaction. The groups of its objects are joined and sent together from then on.
  mutating func note(_ objects: [SyncObjectID], in transaction: Int64) {
    guard !objects.isEmpty else { return }
    var numbers = Set(objects.compactMap { edits[$0]?.group })
    let joined = numbers.min().map { min($0, transaction) } ?? transaction
    numbers.insert(joined)
    if let division, numbers.contains(division.group) { self.division = nil }
    // The largest group absorbs the others, so that many joins stay cheap.
    let largest = numbers.max { count(of: $0) < count(of: $1) } ?? joined
    var members = take(largest, into: joined)
    for number in numbers where number != largest {
      members.formUnion(take(number, into: joined))
    }
    for object in objects {
      members.insert(object)
      if edits[object] == nil { edits[object] = Edit(first: transaction, group: joined) }
    }
    groups[joined] = members
  }

  /// Removes a group, and lets its objects belong to another one.
  private mutating func take(_ group: Int64, into joined: Int64) -> Set<SyncObjectID> {
    let members = groups.removeValue(forKey: group) ?? []
    if group != joined { for member in members { edits[member]?.group = joined } }
    return members
  }

  /// Removes an object that has no open edits.
  mutating func settle(_ object: SyncObjectID) {
    guard let edit = edits.removeValue(forKey: object) else { return }
    groups[edit.group]?.remove(object)
    if groups[edit.group]?.isEmpty ?? false { groups[edit.group] = nil }
  }

  /// Settles the edits up to a transaction; later edits stay pending.
  mutating func advance(_ object: SyncObjectID, beyond transaction: Int64) {
    guard let edit = edits[object] else { return }
    if division?.group == edit.group { division = nil }
    // The number of a change in flight is in the file: after the greatest one, the edit stays as it is.
    edits[object]?.first = max(edit.first, transaction &+ 1)
  }

  mutating func rename(_ object: SyncObjectID, to other: SyncObjectID) {
    guard let edit = edits.removeValue(forKey: object) else { return }
    if division?.group == edit.group { division = nil }
    edits[other] = edit
    groups[edit.group]?.remove(object)
    groups[edit.group]?.insert(other)
  }

  // MARK: Groups that are sent in parts

  /// The state of a group that is sent in parts, as long as none of its objects is edited.
  private struct Division {
    let group: Int64
    /// The group's objects, parents first.
    let order: [SyncObjectID]
    /// The number of objects at the start of the order that were sent or are ``deleted``.
    var start = 0
    /// The objects of the order that were found not to exist, in its order; they are sent last.
    var deletions: [SyncObjectID] = []
    var deleted: Set<SyncObjectID> = []
  }

  /// Prepares to send a group in parts.
  ///
  /// - Parameter rank: Returns the rank of an entity, by which the objects are ordered.
  mutating func divide(_ group: Int64, by rank: (String) -> Int) {
    guard division?.group != group else { return }
    let order = (groups[group] ?? []).map { object in
      (rank: rank(object.entity), first: first(of: object), object: object)
    }
    .sorted { ($0.rank, $0.first, $0.object) < ($1.rank, $1.first, $1.object) }
    division = Division(group: group, order: order.map(\.object))
  }

  /// Returns the next objects of the divided group that may exist.
  ///
  /// - Parameter known: The objects to leave out.
  mutating func part(_ count: Int, without known: Set<SyncObjectID>) -> [SyncObjectID] {
    guard var division else { return [] }
    self.division = nil
    while division.start < division.order.count {
      let object = division.order[division.start]
      guard !isOpen(object, division) || division.deleted.contains(object) else { break }
      division.start += 1
    }
    let part = division.order[division.start...].lazy.filter { [self] object in
      isOpen(object, division) && !division.deleted.contains(object) && !known.contains(object)
    }
    let objects = Array(part.prefix(count))
    self.division = division
    return objects
  }

  /// Records that an object of the divided group doesn't exist.
  mutating func noteDeleted(_ object: SyncObjectID) {
    guard division?.deleted.insert(object).inserted ?? false else { return }
    division?.deletions.append(object)
  }

  /// Whether an object of the divided group was found not to exist.
  func isDeleted(_ object: SyncObjectID) -> Bool { division?.deleted.contains(object) ?? false }

  /// Returns the next deletions of the divided group, children first.
  ///
  /// - Parameter known: The objects to leave out.
  mutating func deletions(_ count: Int, without known: Set<SyncObjectID>) -> [SyncObjectID] {
    guard var division else { return [] }
    self.division = nil
    while let last = division.deletions.last, !isOpen(last, division) {
      division.deletions.removeLast()
    }
    let next = division.deletions.reversed().lazy.filter { [self] object in
      isOpen(object, division) && !known.contains(object)
    }
    let objects = Array(next.prefix(count))
    self.division = division
    return objects
  }

  private func isOpen(_ object: SyncObjectID, _ division: Division) -> Bool {
    edits[object]?.group == division.group
  }
}
