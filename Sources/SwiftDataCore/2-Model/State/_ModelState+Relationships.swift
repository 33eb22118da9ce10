// MARK: - Setters

extension _ModelState {
  /// Called by the setter of a to-one relationship after the value changed.
  public func didChange<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ index: Int, from oldValue: Destination??, to newValue: Destination?
  ) {
    if case .some(let oldValue) = oldValue, oldValue === newValue { return }
    didRelate(model, index, from: oldValue.map { .one($0) } ?? .notLoaded, to: newValue)
  }

  public func didChange<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ index: Int, from oldValue: Destination?, to newValue: Destination
  ) {
    guard oldValue !== newValue else { return }
    didRelate(model, index, from: oldValue.map { .one($0) } ?? .notLoaded, to: newValue)
  }

  /// Called by the setter of a to-many relationship after the value changed.
  public func didChange<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ index: Int, from oldValue: [Destination]?, to newValue: [Destination]
  ) {
    guard let context else {
      // The spare copy would keep models that have left the list.
      _ = consumeSpare(at: index)
      return join(newValue.difference(from: oldValue ?? []).added, model)
    }
    context.didRelate(model, index, from: oldValue, to: newValue, empty: [Destination]())
  }

  public func didChange<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ index: Int, from oldValue: [Destination]??, to newValue: [Destination]?
  ) {
    didChange(model, index, from: oldValue.map { $0 ?? [] }, to: newValue ?? [])
  }

  private func didRelate(
    _ model: some PersistentModel, _ index: Int, from oldValue: LoadedLinks,
    to newValue: (any PersistentModel)?
  ) {
    guard let context else {
      setReference(nil, at: index)
      if let newValue { join([newValue], model) }
      return
    }
    context.didRelate(model, index, from: oldValue, to: newValue)
  }

  /// Inserts a model that is in no context into the context of a related model, so that the other end of the
  /// relationship can follow; the same happens in the opposite direction. When none of them is in a context, they are
  /// connected, so that they enter one together.
  private func join(_ destinations: [any PersistentModel], _ model: some PersistentModel) {
    // A model with a row belongs to a context that was released; a stand-in belongs to no context.
    guard link == nil, rowID == 0, !flags.contains(.rowDeleted) else { return }
    for destination in destinations {
      let state = destination._$modelState
      guard !state.isDeleted, let context = state.context else { continue }
      context.insert(model)
      cameByLink = true
      return
    }
    for destination in destinations { DetachedGroup.connect(model, destination) }
  }
}

// MARK: - Lists that are changed in place

/// A list whose buffer the storage shares with the code that changes it is copied by the change, element by element. So
/// a list that is repeatedly changed in place has a spare copy, held by its model's state alone: the storage gets the
/// spare copy while the list is changed, and afterwards the spare copy is updated to match.
extension _ModelState {
  /// The length from which a list gets a spare copy: copying a shorter one costs little.
  private static let minimumSpareCount = 32

  /// Called by the `_modify` of a property before its value changes: returns a copy for the storage, if there is one.
  @inlinable
  @_disfavoredOverload
  public func spare<Value>(of value: Value, _ index: Int) -> Value? { nil }

  public func spare<Destination: PersistentModel>(
    of list: [Destination], _ index: Int
  ) -> [Destination]? {
    guard list.count >= Self.minimumSpareCount,
      let spare = consumeSpare(at: index) as? [Destination],
      spare.isSame(as: list)
    else { return nil }
    return spare
  }

  public func spare<Destination: PersistentModel>(
    of list: [Destination]?, _ index: Int
  ) -> [Destination]?? {
    guard let list, let spare: [Destination] = spare(of: list, index) else { return nil }
    return .some(spare)
  }

  private func consumeSpare(at property: Int) -> (any ErasedModelArray)? {
    let place = linkChanges.firstIndex { $0.property == property && $0.spare != nil }
    return place.flatMap { linkChanges[$0].spare.take() }
  }

  /// Called by the `_modify` of a property after its value was stored: does the same as the setter's call, see
  /// ``didChange(_:_:from:to:)``.
  @inlinable
  @_disfavoredOverload
  public func didModify<Model: PersistentModel, Value>(
    _ model: Model, _ index: Int, from oldValue: inout Value?, to newValue: Value
  ) {}

  public func didModify<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ index: Int, from oldValue: inout [Destination]?, to newValue: [Destination]
  ) {
    didChange(model, index, from: oldValue, to: newValue)
    guard newValue.count >= Self.minimumSpareCount, var spare = oldValue.take(), spare.isUnshared()
    else { return }
    spare.follow(newValue)
    changeLinks(at: index) { $0.spare = spare }
  }

  public func didModify<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ index: Int, from oldValue: inout [Destination]??, to newValue: [Destination]?
  ) {
    var old: [Destination]?
    if let held = oldValue.take() { old = held ?? [] }
    didModify(model, index, from: &old, to: newValue ?? [])
  }
}

// MARK: - Getters

extension _ModelState {
  /// Called by the getter of a to-one relationship whose destination wasn't loaded.
  public func fault<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ index: Int
  ) -> Destination? {
    if flags.contains(.alias) { return originalValue(at: index) }
    return link?.loader.destination(of: model, index) as? Destination
  }

  public func fault<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ index: Int
  ) -> Destination {
    if let destination: Destination = originalValue(at: index) { return destination }
    if let found = link?.loader.destination(of: model, index) as? Destination { return found }
    let absent = Destination(_hollow: _HollowModel())
    absent._$modelState.flags = .rowDeleted
    return absent
  }

  /// Called by the getter of a to-many relationship that wasn't loaded.
  public func fault<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ index: Int
  ) -> [Destination] {
    list(of: model, index)
  }

  public func fault<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ index: Int
  ) -> [Destination]? {
    list(of: model, index) as [Destination]
  }

  private func list<Destination: PersistentModel>(
    of model: any PersistentModel, _ index: Int
  ) -> [Destination] {
    if let list: [Destination] = originalValue(at: index) { return list }
    return link?.loader.list(of: model, index, empty: [Destination]()) as? [Destination] ?? []
  }
}

// MARK: - Pending changes of lists

extension _ModelState {
  package func linkChanges(at property: Int) -> LinkChanges? {
    linkChanges.first { $0.property == property }
  }

  package func changeLinks(at property: Int, _ change: (inout LinkChanges) -> Void) {
    if let position = linkChanges.firstIndex(where: { $0.property == property }) {
      change(&linkChanges[position])
    } else {
      var changes = LinkChanges(property: property)
      change(&changes)
      linkChanges.append(changes)
    }
  }
}
