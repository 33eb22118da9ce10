import Foundation
import SwiftDataCore

extension PredicateExpressions._Composed: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    var bindings: [(key: PredicateExpressions.VariableID, operand: Operand)] = []
    for (parameter, argument) in repeat (each parameter, each argument) {
      bindings.append((parameter.key, try translation.variable(argument.key)))
    }
    return .condition(try translation.bindingAll(bindings[...], condition))
  }
}

extension Translation {
  /// A condition in which several variables are bound to other operands.
  fileprivate mutating func bindingAll(
    _ bindings: ArraySlice<(key: PredicateExpressions.VariableID, operand: Operand)>,
    _ expression: some PredicateExpression
  ) throws(Untranslatable) -> Condition {
    guard let first = bindings.first else { return try condition(expression) }
    return try binding(first.key, to: first.operand) { (inner) throws(Untranslatable) in
      try inner.bindingAll(bindings.dropFirst(), expression)
    }
  }
}
