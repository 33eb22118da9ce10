import CSwiftRuntime

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

/// Arrays of objects, compared as words. Each change of a list that grows element by element compares all of it, so no
/// element is retained or hashed.
extension Array where Element: PersistentModel {
  /// The number of equal elements at the beginning of both lists, and of equal elements at the end of the remaining
  /// parts. Most changes add or remove a few models at one position.
  func commonEnds(with other: [Element]) -> (start: Int, end: Int) {
    withUnsafeBytes { mine in
      other.withUnsafeBytes { theirs in
        guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return (0, 0) }
        let start = swift_data_common_prefix(mine, theirs, Swift.min(count, other.count))
        let rest = Swift.min(count, other.count) - start
        if rest == 0 { return (start, 0) }
        let width = MemoryLayout<UInt>.stride
        return (
          start, swift_data_common_suffix(mine + count * width, theirs + other.count * width, rest)
        )
      }
    }
  }

  /// Whether both lists have the same elements in the same order.
  func isSame(as other: [Element]) -> Bool {
    count == other.count && commonEnds(with: other).start == count
  }

  fileprivate func occurrences(of model: AnyObject) -> Int {
    withUnsafeBytes { words in
      words.baseAddress.map {
        swift_data_count_of_word($0, count, UInt(bitPattern: ObjectIdentifier(model)))
      } ?? 0
    }
  }

  /// Makes the list equal to `other`, replacing only the part where they differ.
  mutating func follow(_ other: [Element]) {
    let (start, end) = commonEnds(with: other)
    replaceSubrange(start..<count - end, with: other[start..<other.count - end])
  }

  /// Whether the list's buffer has no other owner, so that a change doesn't copy it.
  mutating func isUnshared() -> Bool {
    #if canImport(ObjectiveC)
      // The array may be backed by one of Foundation's arrays.
      return true
    #else
      return Swift.withUnsafeBytes(of: &self) {
        swift_isUniquelyReferenced_nonNull_native($0.load(as: UnsafeRawPointer.self))
      }
    #endif
  }
}

extension PersistentModel {
  /// An array of models that were collected as plain references. Code that is compiled once for all classes can fill
  /// such a list without using a type that it doesn't know; all arrays of references have the same layout.
  static func list(of models: [AnyObject]) -> [Self] { unsafeBitCast(models, to: [Self].self) }
}
