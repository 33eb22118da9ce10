/// The models of a context that wait for a save, in the order in which they came.
///
/// A model's state knows its place, which saves a table of all of them. So a model is in one of its context's lists at
/// most; a place that is out of date is told by what lies there.
package struct PendingModels {
  private var slots: [(any PersistentModel)?] = []
  private(set) var count = 0

  package var isEmpty: Bool { count == 0 }
  package var models: [any PersistentModel] { slots.compactMap { $0 } }

  private func place(of model: any PersistentModel, _ state: _ModelState) -> Int? {
    let place = Int(state.pendingPosition)
    return slots.indices.contains(place) && slots[place] === model ? place : nil
  }

  mutating func insert(_ model: any PersistentModel) { insert(model, model._$modelState) }

  mutating func insert(_ model: any PersistentModel, _ state: _ModelState) {
    guard place(of: model, state) == nil else { return }
    if slots.count > 64, slots.count > 2 * count { closeGaps() }
    state.pendingPosition = Int32(slots.count)
    slots.append(model)
    count += 1
  }

  private mutating func closeGaps() {
    slots.removeAll { $0 == nil }
    for (place, model) in slots.enumerated() { model?._$modelState.pendingPosition = Int32(place) }
  }

  @discardableResult
  mutating func remove(_ model: any PersistentModel) -> Bool {
    guard let place = place(of: model, model._$modelState) else { return false }
    slots[place] = nil
    count -= 1
    if count == 0 { slots.removeAll() }
    return true
  }

  /// Removes models; at once when they are those that are in here, in their order.
  mutating func remove(_ models: [any PersistentModel]) {
    if models.count == slots.count, zip(slots, models).allSatisfy({ $0 === $1 }) {
      return removeAll()
    }
    for model in models { remove(model) }
  }

  mutating func removeAll() {
    slots.removeAll()
    count = 0
  }
}
