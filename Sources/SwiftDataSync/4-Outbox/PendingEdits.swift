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

  func first(of object: SyncObjectID) -> Int64 { edits[object]?.first ?? .max }

  /// Records a transaction. The groups of its objects are joined and sent together from then on.
  mutating func note(_ objects: [SyncObjectID], in transaction: Int64) {
    guard !objects.isEmpty else { return }
    var joined = transaction
    var members: Set<SyncObjectID> = []
    let numbers = Set(objects.compactMap { edits[$0]?.group })
    // The largest group absorbs the others, so that many joins stay cheap.
    let largest = numbers.max { groups[$0]?.count ?? 0 < groups[$1]?.count ?? 0 }
    if let largest, let taken = groups.removeValue(forKey: largest) { members = taken }
    for number in numbers {
      joined = min(joined, number)
      guard number != largest, let taken = groups.removeValue(forKey: number) else { continue }
      members.formUnion(taken)
    }
    if let other = groups.removeValue(forKey: joined) { members.formUnion(other) }
    for object in objects {
      members.insert(object)
      if edits[object] == nil { edits[object] = Edit(first: transaction, group: joined) }
    }
    if joined != largest || numbers.count > 1 {
      for member in members { edits[member]?.group = joined }
    }
    groups[joined] = members
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
    // The number of a change in flight is in the file: after the greatest one, the edit stays as it is.
    edits[object]?.first = max(edit.first, transaction &+ 1)
  }

  mutating func rename(_ object: SyncObjectID, to other: SyncObjectID) {
    guard let edit = edits.removeValue(forKey: object) else { return }
    edits[other] = edit
    groups[edit.group]?.remove(object)
    groups[edit.group]?.insert(other)
  }
}
