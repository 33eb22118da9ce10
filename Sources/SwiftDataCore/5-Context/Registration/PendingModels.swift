/// The models of a context that wait for a save, in the order in which they were added.
///
/// A model's state stores its place, which saves a table of all models. So a model is in at most one of its context's
/// lists; an outdated place is detected by comparing the model at that place. The models of a class are found without
/// walking past the others, see ``PendingClass``: models that were added since the last query are classified at the
/// next one, so inserting has no additional cost.
package struct PendingModels {
  private var slots: [(any PersistentModel)?] = []
  private(set) var count = 0
  /// The classes of the models in the first ``arranged`` slots. A context uses few classes.
  private var classes: [PendingClass] = []
  private var arranged = 0
  /// The number of times that the models were compacted, which makes previously recorded places invalid.
  private(set) var epoch = 0
  /// The number of models that queries for classes and values have examined so far, for tests of their cost.
  private(set) var steps = 0

  package var isEmpty: Bool { count == 0 }
  package var models: [any PersistentModel] { slots.compactMap { $0 } }

  private func position(of model: any PersistentModel, _ state: _ModelState) -> Int? {
    let place = Int(state.pendingPosition)
    return slots.indices.contains(place) && slots[place] === model ? place : nil
  }

  /// Returns the model at a place, if it is still there.
  subscript(place: Int32) -> (any PersistentModel)? {
    slots.indices.contains(Int(place)) ? slots[Int(place)] : nil
  }

  func contains(_ model: any PersistentModel, _ state: _ModelState) -> Bool {
    position(of: model, state) != nil
  }

  mutating func insert(_ model: any PersistentModel) { insert(model, model._$modelState) }

  mutating func insert(_ model: any PersistentModel, _ state: _ModelState) {
    guard position(of: model, state) == nil else { return }
    if slots.count > 64, slots.count > 2 * count { closeGaps() }
    state.pendingPosition = Int32(slots.count)
    slots.append(model)
    count += 1
  }

  private mutating func closeGaps() {
    slots.removeAll { $0 == nil }
    for (place, model) in slots.enumerated() { model?._$modelState.pendingPosition = Int32(place) }
    forgetClasses()
  }

  private mutating func forgetClasses() {
    classes.removeAll()
    arranged = 0
    epoch &+= 1
  }

  @discardableResult
  mutating func remove(_ model: any PersistentModel) -> Bool {
    guard let place = position(of: model, model._$modelState) else { return false }
    slots[place] = nil
    count -= 1
    if count == 0 { removeAll() }
    return true
  }

  /// Removes models; all in one step when they are exactly the contained ones, in their order.
  mutating func remove(_ models: [any PersistentModel]) {
    if models.count == slots.count, zip(slots, models).allSatisfy({ $0 === $1 }) {
      return removeAll()
    }
    for model in models { remove(model) }
  }

  mutating func removeAll() {
    slots.removeAll()
    count = 0
    forgetClasses()
  }
}

// MARK: - Models of a class

extension PendingModels {
  /// Classifies the models that were added since the last call.
  private mutating func arrange() {
    guard arranged < slots.count else { return }
    steps += slots.count - arranged
    var last = 0
    for place in arranged..<slots.count {
      guard let model = slots[place] else { continue }
      let type = type(of: model)
      if !classes.indices.contains(last) || classes[last].type != type {
        last = classes.firstIndex { $0.type == type } ?? classes.count
        if last == classes.count { classes.append(PendingClass(type)) }
      }
      classes[last].positions.append(Int32(place))
    }
    arranged = slots.count
  }

  /// Returns the classes of the contained models.
  mutating func types() -> [any PersistentModel.Type] {
    if isEmpty { return [] }
    arrange()
    var found: [any PersistentModel.Type] = []
    for position in classes.indices where classes[position].hasModels(in: slots) {
      found.append(classes[position].type)
    }
    return found
  }

  /// Whether there is a model of a class or one of its subclasses.
  mutating func hasModels<T: PersistentModel>(of type: T.Type) -> Bool {
    if isEmpty { return false }
    arrange()
    for position in classes.indices
    where classes[position].type is T.Type && classes[position].hasModels(in: slots) {
      return true
    }
    return false
  }

  /// Returns the models of a class and its subclasses, in the order in which they were added.
  ///
  /// - Parameter key: Excludes models that certainly have a different value than this one.
  mutating func models<T: PersistentModel>(of type: T.Type, with key: PendingKey? = nil) -> [T] {
    if isEmpty { return [] }
    arrange()
    var places: [Int32] = []
    var isOrdered = true
    for position in classes.indices where classes[position].type is T.Type {
      if !places.isEmpty { isOrdered = false }
      if let key, let plan = plan(of: position), let property = plan.property(for: key.keyPath),
        !plan.properties[property].columns.isEmpty
      {
        places += classes[position].positions(with: key, property, in: slots)
        isOrdered = false
      } else {
        classes[position].compact(slots)
        places += classes[position].positions
      }
    }
    if !isOrdered { places.sort() }
    steps += places.count
    var last: Int32 = -1
    return places.compactMap { place in
      guard place != last else { return nil }
      last = place
      return slots[Int(place)] as? T
    }
  }

  private func plan(of position: Int) -> EntityPlan? {
    guard let place = classes[position].positions.last(where: { slots[Int($0)] != nil }),
      let model = slots[Int(place)]
    else { return nil }
    // Stored variables of a hand-written class change without notification.
    let state = model._$modelState
    return state.owner === model ? state.plan : nil
  }

  /// Records that a previously unchanged property of a model is about to change: its recorded value becomes invalid.
  mutating func recordChange(
    of model: any PersistentModel, _ state: _ModelState, at property: Int
  ) {
    guard arranged > 0, let place = position(of: model, state), place < arranged else { return }
    let type = type(of: model)
    guard let position = classes.firstIndex(where: { $0.type == type }) else { return }
    classes[position].recordChange(at: Int32(place), property)
  }
}
