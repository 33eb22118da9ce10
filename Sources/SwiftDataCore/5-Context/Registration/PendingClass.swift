import Foundation

/// A property's value that every model matching a predicate must have.
struct PendingKey {
  let keyPath: AnyKeyPath
  let value: AnyHashable
  /// Returns the value of a model; nil when it can't be determined.
  let read: (any PersistentModel) -> AnyHashable?
}

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

// MARK: - Keys of predicates

/// A part of a predicate that compares a property of the model with a value.
private protocol KeyCondition {
  /// - Returns: The property and the value; nil when the condition isn't that simple.
  func key(of variable: PredicateExpressions.VariableID) -> PendingKey?
}

extension PredicateExpressions.Conjunction: KeyCondition {
  /// Uses the left side only: the condition before a comparison may be one that fails for other models, and that
  /// failure mustn't be skipped.
  fileprivate func key(of variable: PredicateExpressions.VariableID) -> PendingKey? {
    (lhs as? any KeyCondition)?.key(of: variable)
  }
}

extension PredicateExpressions.Equal: KeyCondition {
  fileprivate func key(of variable: PredicateExpressions.VariableID) -> PendingKey? {
    // Column values are compared by their contents, and keep no reference to anything that changes.
    guard LHS.Output.self is any _ColumnValue.Type else { return nil }
    let (left, right) = (lhs as Any, rhs as Any)
    guard
      let property = left as? any PropertyOfVariable ?? right as? any PropertyOfVariable,
      let constant = right as? any ConstantOperand ?? left as? any ConstantOperand,
      property.variable == variable, let value = constant.hashable
    else { return nil }
    return PendingKey(keyPath: property.path, value: value, read: property.hashable)
  }
}

/// Boxes a model's value and a predicate's in the same way.
private func boxed<Value>(_ value: Value) -> AnyHashable? { value as? AnyHashable }

private protocol PropertyOfVariable {
  var variable: PredicateExpressions.VariableID? { get }
  var path: AnyKeyPath { get }
  func hashable(of model: any PersistentModel) -> AnyHashable?
}

extension PredicateExpressions.KeyPath: PropertyOfVariable {
  fileprivate var variable: PredicateExpressions.VariableID? {
    (root as? any KnownVariable)?.identity
  }
  fileprivate var path: AnyKeyPath { keyPath }
  fileprivate func hashable(of model: any PersistentModel) -> AnyHashable? {
    (model as? Root.Output).flatMap { boxed($0[keyPath: keyPath]) }
  }
}

private protocol KnownVariable {
  var identity: PredicateExpressions.VariableID { get }
}

extension PredicateExpressions.Variable: KnownVariable {
  fileprivate var identity: PredicateExpressions.VariableID { key }
}

private protocol ConstantOperand {
  var hashable: AnyHashable? { get }
}

extension PredicateExpressions.Value: ConstantOperand {
  fileprivate var hashable: AnyHashable? { boxed(value) }
}

extension PendingKey {
  /// The property and the value that a predicate compares first; nil when its first condition isn't a simple
  /// comparison.
  init?<Model>(of predicate: Predicate<Model>) {
    guard let key = (predicate.expression as? any KeyCondition)?.key(of: predicate.variable.key)
    else { return nil }
    self = key
  }
}
