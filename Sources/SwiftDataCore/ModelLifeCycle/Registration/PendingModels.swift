/// Models in the order in which they were added, found and removed by identity.
package struct PendingModels {
  private var slots: [(any PersistentModel)?] = []
  private var positions: [ObjectIdentifier: Int] = [:]

  package var isEmpty: Bool { positions.isEmpty }
  var count: Int { positions.count }
  package var models: [any PersistentModel] { slots.compactMap { $0 } }

  func contains(_ model: any PersistentModel) -> Bool {
    positions[ObjectIdentifier(model)] != nil
  }

  mutating func insert(_ model: any PersistentModel) {
    guard positions[ObjectIdentifier(model)] == nil else { return }
    positions[ObjectIdentifier(model)] = slots.count
    slots.append(model)
  }

  @discardableResult
  mutating func remove(_ model: any PersistentModel) -> Bool {
    guard let position = positions.removeValue(forKey: ObjectIdentifier(model)) else {
      return false
    }
    slots[position] = nil
    if positions.isEmpty { slots.removeAll() }
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
    positions.removeAll()
  }
}
