/// Merges two sides' changes of a list of keys by element, so that conflicts can't occur.
///
/// Elements that either side has removed since the base are removed; elements that either side has added are added. In
/// an ordered list, the order of the side that has changed it is used, the remote order when both have; an element that
/// the other side has added is placed after the element that it follows there.
package enum ListMerge {
  /// - Parameters:
  ///   - base: The list on which both sides are based; nil when there is none.
  ///   - isOrdered: Whether the order is significant.
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

  /// Returns the elements of `leading` that the other side hasn't removed, and those that it has added.
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

  /// Returns the canonical form of a list without an order.
  static func sorted(_ elements: some Sequence<SyncValue>) -> SyncValue {
    .list(elements.sorted { ($0.text ?? "") < ($1.text ?? "") })
  }

  /// Converts a server's list of keys to the store's own form: each key once, as text.
  ///
  /// - Returns: nil for a value that isn't a list of keys; a null value becomes an empty list.
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
