/// A change of an ordered list at one place.
///
/// The undo record of a list holds the added and removed models, not the whole list: recording an append must not cost
/// more for a longer list.
package struct ListEdit {
  /// The number of models before the place.
  let start: Int
  /// The model before the place; nil at the beginning of the list.
  let previous: (any PersistentModel)?
  let removed: [any PersistentModel]
  let added: [any PersistentModel]
}

extension Array where Element: PersistentModel {
  /// The maximum number of exchanged models that are recorded one by one.
  private static var maximumExchanges: Int { 8 }

  package func edits(from other: any ErasedModelArray) -> [ListEdit] {
    let old = other as? [Element] ?? []
    let (start, end) = commonEnds(with: old)
    let places = start..<count - end
    if old.count == count {
      if places.isEmpty { return [] }
      if let edits = rotation(from: old, in: places) ?? exchanges(from: old, in: places) {
        return edits
      }
    }
    return [edit(from: old, start, old.count - end, count - end)]
  }

  package func edits(
    adding added: [any PersistentModel], removing removed: [any PersistentModel]
  ) -> [ListEdit] {
    guard added.count + removed.count == 1 else {
      let list = merging(added: added, removed: Set(removed.map { ObjectIdentifier($0) }))
      return list.edits(from: self)
    }
    if let model = removed.first {
      guard let place = position(of: model) else { return [] }
      return [removal(place..<place + 1)]
    }
    guard let model = added.first, !holds(model) else { return [] }
    return [ListEdit(start: count, previous: last, removed: [], added: [model])]
  }

  package mutating func apply(_ edit: ListEdit) -> ListEdit {
    let added = edit.added.compactMap { $0 as? Element }
    let place = edit.start..<edit.start + edit.removed.count
    guard fits(edit, place) else { return applyElsewhere(edit, added) }
    replaceSubrange(place, with: added)
    return edit
  }

  // MARK: Kinds of changes

  /// Returns one change of everything between the first and the last difference.
  private func edit(
    from old: [Element], _ start: Int, _ oldEnd: Int, _ end: Int
  ) -> ListEdit {
    ListEdit(
      start: start, previous: start > 0 ? self[start - 1] : nil,
      removed: Array(old[start..<oldEnd]), added: Array(self[start..<end]))
  }

  /// Returns the move of a run of consecutive models to another place. Of the two runs that changed places, the shorter
  /// one is recorded.
  private func rotation(from old: [Element], in places: Range<Int>) -> [ListEdit]? {
    let (start, end) = (places.lowerBound, places.upperBound)
    guard let first = old.position(of: self[start], in: places) else { return nil }
    let shift = first - start
    guard isSame(as: old, at: start, first, count: end - first),
      isSame(as: old, at: end - shift, start, count: shift)
    else { return nil }
    if shift <= end - first {
      return [old.removal(start..<first), insertion(end - shift..<end)]
    }
    return [old.removal(first..<end), insertion(start..<start + end - first)]
  }

  /// Returns the replacement of a few models by others. All are removed before the first one is added, so that no model
  /// is in the list twice.
  private func exchanges(from old: [Element], in places: Range<Int>) -> [ListEdit]? {
    var found: [Int] = []
    var next = places.lowerBound
    while next < places.upperBound {
      next += commonCount(with: old, at: next, next, count: places.upperBound - next)
      guard next < places.upperBound else { break }
      found.append(next)
      next += 1
      guard found.count <= Self.maximumExchanges, found.count * 2 < places.count else { return nil }
    }
    return found.reversed().map { old.removal($0..<$0 + 1) } + found.map { insertion($0..<$0 + 1) }
  }

  private func removal(_ places: Range<Int>) -> ListEdit {
    ListEdit(
      start: places.lowerBound, previous: places.lowerBound > 0 ? self[places.lowerBound - 1] : nil,
      removed: Array(self[places]), added: [])
  }

  private func insertion(_ places: Range<Int>) -> ListEdit {
    ListEdit(
      start: places.lowerBound, previous: places.lowerBound > 0 ? self[places.lowerBound - 1] : nil,
      removed: [], added: Array(self[places]))
  }

  // MARK: Applying a change

  /// Whether the list around a change is the same as when the change was recorded.
  private func fits(_ edit: ListEdit, _ place: Range<Int>) -> Bool {
    guard place.upperBound <= count,
      edit.previous === (edit.start > 0 ? self[edit.start - 1] : nil),
      zip(self[place], edit.removed).allSatisfy({ $0 === $1 })
    else { return false }
    let removed = Set(edit.removed.map { ObjectIdentifier($0) })
    let added = edit.added.filter { !removed.contains(ObjectIdentifier($0)) }
    if added.count <= 4 { return !added.contains { holds($0) } }
    return Set(map { ObjectIdentifier($0) }).isDisjoint(with: added.map { ObjectIdentifier($0) })
  }

  /// Applies a change to a list that has changed otherwise, by a commit of another context for instance: the models are
  /// inserted after their recorded predecessor.
  private mutating func applyElsewhere(_ edit: ListEdit, _ added: [Element]) -> ListEdit {
    let former = self
    let leaving = Set((edit.removed + edit.added).map { ObjectIdentifier($0) })
    removeAll { leaving.contains(ObjectIdentifier($0)) }
    let start =
      if let previous = edit.previous {
        position(of: previous).map { $0 + 1 } ?? Swift.min(edit.start, count)
      } else { 0 }
    insert(contentsOf: added, at: start)
    let (first, end) = commonEnds(with: former)
    return self.edit(from: former, first, former.count - end, count - end)
  }

  // MARK: Comparing words

  private func position(of model: AnyObject) -> Int? { position(of: model, in: indices) }

  private func isSame(
    as other: [Element], at place: Int, _ otherPlace: Int, count: Int
  ) -> Bool {
    commonCount(with: other, at: place, otherPlace, count: count) == count
  }
}
