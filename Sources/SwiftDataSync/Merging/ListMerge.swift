/// Brings together what two sides have made of a list of keys: by element, so that nothing has to be decided.
///
/// What either side has removed since the base is gone, what either has added is there. In a list with an order, the
/// order of the side that has changed it counts, the remote one when both have; what the other side has added stands
/// behind the element that it stood behind there.
package enum ListMerge {
  /// - Parameters:
  ///   - base: The list on which both sides built; nil for none.
  ///   - isOrdered: Whether the order says something.
  /// - Returns: nil when one of the values isn't a list.
  static func merge(
    base: SyncValue?, local: SyncValue, remote: SyncValue, isOrdered: Bool
  ) -> SyncValue? {
    guard case .list(let mine) = local, case .list(let theirs) = remote else { return nil }
    var common: [SyncValue] = []
    if case .list(let list) = base { common = list }
    guard isOrdered else {
      let removed = Set(common).subtracting(mine)
      let added = Set(mine).subtracting(common)
      return sorted(Set(theirs).subtracting(removed).union(added))
    }
    let kept = Set(common).intersection(mine).intersection(theirs)
    let order = common.filter(kept.contains)
    return theirs.filter(kept.contains) == order
      ? .list(joined(mine, theirs, base: common)) : .list(joined(theirs, mine, base: common))
  }

  /// The elements of `leading` that the other side hasn't removed, and those that it has added.
  private static func joined(
    _ leading: [SyncValue], _ other: [SyncValue], base: [SyncValue]
  ) -> [SyncValue] {
    let removed = Set(base).subtracting(other)
    var result = leading.filter { !removed.contains($0) }
    var present = Set(result)
    let known = Set(base)
    var previous: SyncValue?
    for element in other {
      if !present.contains(element), !known.contains(element) {
        let place = previous.flatMap { result.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        result.insert(element, at: place)
        present.insert(element)
      }
      if present.contains(element) { previous = element }
    }
    return result
  }

  /// A list without an order in the one form that it has.
  static func sorted(_ elements: some Sequence<SyncValue>) -> SyncValue {
    .list(elements.sorted { ($0.text ?? "") < ($1.text ?? "") })
  }

  /// A server's list of keys in the store's own form: each key once, as text.
  ///
  /// - Returns: nil for what isn't a list of keys; no value is an empty list.
  package static func canonical(_ value: SyncValue, isOrdered: Bool) -> SyncValue? {
    guard case .list(let elements) = value else { return value == .null ? .list([]) : nil }
    var seen: Set<String> = []
    var keys: [SyncValue] = []
    for element in elements {
      guard let key = SyncSchema.key(element) else { return nil }
      if seen.insert(key).inserted { keys.append(.text(key)) }
    }
    return isOrdered ? .list(keys) : sorted(keys)
  }
}
