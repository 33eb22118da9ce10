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

  /// Returns a list with the elements that it lacks at their places, as if they were inserted one after the other; an
  /// element whose place is beyond the end becomes the last one.
  ///
  /// - Parameter missing: The elements with their places, in the order of the places.
  package static func filled(
    _ list: [SyncValue], _ missing: [(place: Int, element: SyncValue)], isOrdered: Bool
  ) -> SyncValue {
    var present = Set(list)
    let missing = missing.filter { present.insert($0.element).inserted }
    guard isOrdered else { return sorted(list + missing.map(\.element)) }
    var result = list
    var part: [(place: Int, element: SyncValue)] = []
    for (place, element) in missing {
      let place = max(0, place)
      // Of two elements with the same place, the later one comes first.
      if let last = part.last, place <= last.place {
        result = merged(result, part)
        part = []
      }
      part.append((place, element))
    }
    return .list(merged(result, part))
  }

  /// Returns a list with other elements at their places, which ascend.
  private static func merged(
    _ list: [SyncValue], _ others: [(place: Int, element: SyncValue)]
  ) -> [SyncValue] {
    var result: [SyncValue] = []
    result.reserveCapacity(list.count + others.count)
    var rest = list[...]
    for (place, element) in others {
      let count = min(place - result.count, rest.count)
      result += rest.prefix(count)
      rest = rest.dropFirst(count)
      result.append(element)
    }
    return result + rest
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
