/// The content of the storage of a relationship.
package enum LoadedLinks {
  case notLoaded
  case one((any PersistentModel)?)
  case many(any ErasedModelArray)

  /// The destinations; nil when they weren't loaded.
  package var models: [any PersistentModel]? {
    switch self {
    case .notLoaded: nil
    case .one(let model): model.map { [$0] } ?? []
    case .many(let list): list.models
    }
  }
}

/// The destinations to be put into the storage of a relationship.
package indirect enum ResolvedLinks {
  case one((any PersistentModel)?)
  case many([any PersistentModel])
  case list(any ErasedModelArray)

  var one: (any PersistentModel)? {
    switch self {
    case .one(let model): model
    case .many(let models): models.first
    case .list(let list): list.models.first
    }
  }

  func list<Model: PersistentModel>(of type: Model.Type) -> [Model] {
    switch self {
    case .one(let model): (model as? Model).map { [$0] } ?? []
    case .many(let models): models.compactMap { $0 as? Model }
    case .list(let list): list as? [Model] ?? list.models.compactMap { $0 as? Model }
    }
  }
}

/// An array of models whose type isn't known statically. Models are compared by instance.
package protocol ErasedModelArray {
  var count: Int { get }
  var models: [any PersistentModel] { get }
  /// The list without `removed`, followed by the models of `added` that it lacks, each once.
  func merging(
    added: [any PersistentModel], removed: Set<ObjectIdentifier>
  ) -> any ErasedModelArray
  func holds(_ model: any PersistentModel) -> Bool
  /// The models that only this list has, and those that only `other` has.
  func difference(
    from other: any ErasedModelArray
  ) -> (added: [any PersistentModel], removed: [any PersistentModel])
  /// The list with each model once; nil when it has no repetitions. Only models of `added` may be repeated.
  func withoutDuplicates(of added: [any PersistentModel]) -> (any ErasedModelArray)?
  /// The changes that, one after the other, turn `other` into this list.
  func edits(from other: any ErasedModelArray) -> [ListEdit]
  /// The changes that move `added` to the end, each model once, and remove `removed`.
  func edits(
    adding added: [any PersistentModel], removing removed: [any PersistentModel]
  ) -> [ListEdit]
  /// Removes models at one position and inserts others there.
  ///
  /// - Returns: The change as it was made: at another position when the list isn't as the change expects.
  mutating func apply(_ edit: ListEdit) -> ListEdit
}

extension Array: ErasedModelArray where Element: PersistentModel {
  package var models: [any PersistentModel] { self }

  package func merging(
    added: [any PersistentModel], removed: Set<ObjectIdentifier>
  ) -> any ErasedModelArray {
    var result = removed.isEmpty ? self : filter { !removed.contains(ObjectIdentifier($0)) }
    guard !added.isEmpty else { return result }
    var known = Set(result.map { ObjectIdentifier($0) })
    for case let model as Element in added where known.insert(ObjectIdentifier(model)).inserted {
      result.append(model)
    }
    return result
  }

  package func holds(_ model: any PersistentModel) -> Bool { occurrences(of: model) > 0 }

  package func difference(
    from other: any ErasedModelArray
  ) -> (added: [any PersistentModel], removed: [any PersistentModel]) {
    let old = other as? [Element] ?? []
    let (start, end) = commonEnds(with: old)
    let mine = self[start..<count - end]
    let theirs = old[start..<old.count - end]
    if mine.isEmpty || theirs.isEmpty { return (Array(mine), Array(theirs)) }
    let known = Set(theirs.map { ObjectIdentifier($0) })
    let kept = Set(mine.map { ObjectIdentifier($0) })
    return (
      mine.filter { !known.contains(ObjectIdentifier($0)) },
      theirs.filter { !kept.contains(ObjectIdentifier($0)) }
    )
  }

  package func withoutDuplicates(of added: [any PersistentModel]) -> (any ErasedModelArray)? {
    if added.count <= 4 {
      let isOnce = added.allSatisfy { occurrences(of: $0) <= 1 }
      if isOnce { return nil }
    }
    var known = Set<ObjectIdentifier>(minimumCapacity: count)
    let once = filter { known.insert(ObjectIdentifier($0)).inserted }
    return once.count == count ? nil : once
  }
}
