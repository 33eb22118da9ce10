import Foundation

/// Operations on captured values whose type is known only at run time. They return nil for values
/// of another type.
package enum ConstantOperations {
  package static func areEqual(
    _ first: Any, _ second: Any, as type: any Equatable.Type
  ) -> Bool? {
    func open<Value: Equatable>(_ type: Value.Type) -> Bool? {
      guard let first = first as? Value, let second = second as? Value else { return nil }
      return first == second
    }
    return open(type)
  }

  package static func compare(
    _ first: Any, _ op: PredicateExpressions.ComparisonOperator, _ second: Any,
    as type: any Comparable.Type
  ) -> Bool? {
    func open<Value: Comparable>(_ type: Value.Type) -> Bool? {
      guard let first = first as? Value, let second = second as? Value else { return nil }
      switch op {
      case .lessThan: return first < second
      case .lessThanOrEqual: return first <= second
      case .greaterThan: return first > second
      case .greaterThanOrEqual: return first >= second
      @unknown default: return false
      }
    }
    return open(type)
  }

  /// The member of a value.
  package static func member(_ keyPath: AnyKeyPath, of value: Any) -> Any? {
    func open<Root>(_ type: Root.Type) -> Any? {
      guard let root = value as? Root, let keyPath = keyPath as? PartialKeyPath<Root> else {
        return nil
      }
      return root[keyPath: keyPath]
    }
    return _openExistential(Swift.type(of: keyPath).rootType, do: open)
  }
}
