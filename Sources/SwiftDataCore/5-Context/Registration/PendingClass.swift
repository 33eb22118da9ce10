import Foundation

/// The pending models of one class, by their positions among all pending models.
///
/// Programs look for a model by a key and insert one when there is none, a thousand times before they save. So the
/// values of a queried property are kept in a table. A model's value is that of the table until the property is first
/// changed, which the model reports; from then on the model is examined each time.
struct PendingClass {
  let type: any PersistentModel.Type
  /// In order; the models at some positions may be gone.
  var positions: [Int32] = []
  /// The index of the first position whose model isn't gone, as far as is known.
  private var first = 0
  private var tables: [Int: Table] = [:]

  private struct Table {
    /// The number of elements of ``PendingClass/positions`` that the table covers.
    var arranged = 0
    var positions: [AnyHashable: [Int32]] = [:]
    /// The positions of models whose values may change without notification.
    var changed: [Int32] = []
  }

  init(_ type: any PersistentModel.Type) { self.type = type }

  mutating func hasModels(in slots: [(any PersistentModel)?]) -> Bool {
    while first < positions.count, slots[Int(positions[first])] == nil { first += 1 }
    return first < positions.count
  }

  /// Drops the positions of models that are gone, when they are many.
  mutating func compact(_ slots: [(any PersistentModel)?]) {
    var gone = 0
    for position in positions where slots[Int(position)] == nil { gone += 1 }
    guard gone > 16, gone * 2 > positions.count else { return }
    positions.removeAll { slots[Int($0)] == nil }
    first = 0
    tables.removeAll()
  }

  /// Returns the positions of models that may have the value, in no particular order and possibly twice.
  mutating func positions(
    with key: PendingKey, _ property: Int, in slots: [(any PersistentModel)?]
  ) -> [Int32] {
    var table = tables.removeValue(forKey: property) ?? Table()
    for position in positions[table.arranged...] {
      guard let model = slots[Int(position)] else { continue }
      if model._$modelState.changes.contains(property) {
        table.changed.append(position)
      } else if let value = key.read(model) {
        table.positions[value, default: []].append(position)
      } else {
        table.changed.append(position)
      }
    }
    table.arranged = positions.count
    let found = (table.positions[key.value] ?? []) + table.changed
    tables[property] = table
    return found
  }

  mutating func recordChange(at position: Int32, _ property: Int) {
    tables[property]?.changed.append(position)
  }
}
