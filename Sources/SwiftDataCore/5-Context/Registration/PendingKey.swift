import Foundation

/// A property's value that every model matching a predicate must have.
struct PendingKey {
  let keyPath: AnyKeyPath
  let value: AnyHashable
  /// Returns the value of a model; nil when it can't be determined.
  let read: (any PersistentModel) -> AnyHashable?
}

extension PendingKey {
  /// The property and the value that a predicate compares first; nil when its first condition isn't
  /// a simple comparison.
  init?<Model>(of predicate: Predicate<Model>) {
    do {
      let lowered = try LoweredPredicate(predicate)
      guard let key = Self.key(of: lowered.node, lowered.variable) else { return nil }
      self = key
    } catch {
      return nil  // The fetch itself reports that the predicate is nested too deep.
    }
  }

  /// Of a conjunction the left part only: the condition before a comparison may be one that fails
  /// for other models, and that failure mustn't be skipped.
  private static func key(
    of node: PredicateNode, _ variable: PredicateExpressions.VariableID
  ) -> PendingKey? {
    switch node {
    case .conjunction(let left, _): key(of: left, variable)
    case .equal(let left, let right, let type):
      // Column values are compared by their contents, and keep no reference to anything that
      // changes.
      type is any _ColumnValue.Type
        ? key(of: left, equalTo: right, variable) ?? key(of: right, equalTo: left, variable) : nil
    case .value, .variable, .disjunction, .negation, .conditional, .composed, .notEqual,
      .comparison, .keyPath, .typeCheck, .conditionalCast, .forceCast, .nilCoalesce, .forcedUnwrap,
      .optionalFlatMap, .arithmetic, .division, .unaryMinus, .sequenceContains,
      .sequenceContainsWhere, .sequenceAllSatisfy, .filter, .sequenceExtreme, .sequenceStartsWith,
      .collectionContains, .stringOperation, .range, .rangeContains, .inMemory, .unknown:
      nil
    }
  }

  private static func key(
    of property: PredicateNode, equalTo constant: PredicateNode,
    _ variable: PredicateExpressions.VariableID
  ) -> PendingKey? {
    guard case .keyPath(.variable(variable), let keyPath) = property,
      case .value(let constant) = constant, let value = boxed(constant)
    else { return nil }
    func open<Root>(_ root: Root.Type) -> PendingKey? {
      func open<Value>(_ value: Value.Type) -> ((any PersistentModel) -> AnyHashable?)? {
        guard let keyPath = keyPath as? KeyPath<Root, Value> else { return nil }
        return { model in (model as? Root).flatMap { boxed($0[keyPath: keyPath]) } }
      }
      return _openExistential(type(of: keyPath).valueType, do: open)
        .map { PendingKey(keyPath: keyPath, value: value, read: $0) }
    }
    return _openExistential(type(of: keyPath).rootType, do: open)
  }
}

/// Boxes a model's value and a predicate's in the same way.
private func boxed<Value>(_ value: Value) -> AnyHashable? { value as? AnyHashable }
