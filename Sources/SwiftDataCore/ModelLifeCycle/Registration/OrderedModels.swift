/// Models in the order in which they were added, found and removed by identity. A model may be in several of these.
package struct OrderedModels {
  private var slots: [(any PersistentModel)?] = []
  private var positions: [ObjectIdentifier: Int] = [:]

  package var isEmpty: Bool { positions.isEmpty }
  package var models: [any PersistentModel] { slots.compactMap { $0 } }

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

  mutating func removeAll() {
    slots.removeAll()
    positions.removeAll()
  }
}
