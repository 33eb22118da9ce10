/// Models in the order in which they were added, found and removed by identity. A model may be in several of these.
///
/// Adding, removing and looking up take the same time regardless of the number of models. A few models are searched
/// linearly; a table of places is made only when there are more.
package struct OrderedModels {
  /// The maximum number of models that are searched without a table.
  private static let few = 16

  private var slots: [(any PersistentModel)?] = []
  /// The places by identity; nil while there are few models.
  private var positions: [ObjectIdentifier: Int]?
  package private(set) var count = 0
  /// The number of models that have been examined so far, for tests of the cost of changes.
  package private(set) var steps = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }
  package var models: [any PersistentModel] { slots.compactMap { $0 } }
  /// The identities of the models.
  package var identities: Set<ObjectIdentifier> {
    var found = Set<ObjectIdentifier>(minimumCapacity: count)
    for case let model? in slots { found.insert(ObjectIdentifier(model)) }
    return found
  }

  private mutating func position(of model: any PersistentModel) -> Int? {
    steps += 1
    if let positions { return positions[ObjectIdentifier(model)] }
    steps += slots.count
    return slots.firstIndex { $0 === model }
  }

  /// Adds a model at the end; one that is there already keeps its place.
  package mutating func insert(_ model: any PersistentModel) {
    guard position(of: model) == nil else { return }
    positions?[ObjectIdentifier(model)] = slots.count
    slots.append(model)
    count += 1
    if positions == nil, slots.count > Self.few { arrange() }
  }

  @discardableResult
  package mutating func remove(_ model: any PersistentModel) -> Bool {
    guard let position = position(of: model) else { return false }
    positions?[ObjectIdentifier(model)] = nil
    slots[position] = nil
    count -= 1
    if count == 0 {
      removeAll()
    } else if slots.count > 2 * max(count, Self.few) {
      arrange()
    }
    return true
  }

  /// Closes gaps and makes the table of places.
  private mutating func arrange() {
    steps += slots.count
    slots.removeAll { $0 == nil }
    guard slots.count > Self.few else {
      positions = nil
      return
    }
    var places = [ObjectIdentifier: Int](minimumCapacity: slots.count)
    for case (let place, let model?) in slots.enumerated() {
      places[ObjectIdentifier(model)] = place
    }
    positions = places
  }

  package mutating func removeAll() {
    slots.removeAll()
    positions = nil
    count = 0
  }
}
