import SwiftDataCore

extension Translation {
  /// A condition whose variables stand for others.
  mutating func composed(
    _ condition: PredicateNode, _ variables: ArraySlice<PredicateNode.Replacement>
  ) throws(Untranslatable) -> Operand {
    var operands: [(key: VariableID, operand: Operand)] = []
    for replacement in variables {
      operands.append((replacement.parameter, try variable(replacement.argument)))
    }
    return .condition(try bindingAll(operands[...], condition))
  }

  /// A condition in which several variables are bound to other operands.
  private mutating func bindingAll(
    _ bindings: ArraySlice<(key: VariableID, operand: Operand)>, _ node: PredicateNode
  ) throws(Untranslatable) -> Condition {
    guard let first = bindings.first else { return try condition(node) }
    return try binding(first.key, to: first.operand) { (inner) throws(Untranslatable) in
      try inner.bindingAll(bindings.dropFirst(), node)
    }
  }
}
