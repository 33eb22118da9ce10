import Foundation
import SwiftDataCore

/// A truth value whose SQL is known without the values of its constants.
///
/// Shapes are recorded without ``PredicateNode``: the conformance of a whole expression is looked up
/// once for its type, and nothing is allocated for nodes. A node that doesn't conform is translated
/// each time.
protocol ShapedTruth {
  func record(in shape: inout QueryShape)
}

/// An operand of a comparison: an attribute of the fetched model, or a constant.
protocol ShapedOperand {
  static var isConstant: Bool { get }
  /// - Parameter isEquality: Whether the operand is compared by `==` or `!=`; otherwise by order.
  func record(in shape: inout QueryShape, isEquality: Bool)
}

/// A variable of a predicate.
protocol ShapedVariable {
  var key: PredicateExpressions.VariableID { get }
}

extension PredicateExpressions.Variable: ShapedVariable {}

// MARK: - Truth values

extension PredicateExpressions.Conjunction: ShapedTruth where LHS: ShapedTruth, RHS: ShapedTruth {
  func record(in shape: inout QueryShape) {
    lhs.record(in: &shape)
    rhs.record(in: &shape)
  }
}

extension PredicateExpressions.Disjunction: ShapedTruth where LHS: ShapedTruth, RHS: ShapedTruth {
  func record(in shape: inout QueryShape) {
    lhs.record(in: &shape)
    rhs.record(in: &shape)
  }
}

extension PredicateExpressions.Negation: ShapedTruth where Wrapped: ShapedTruth {
  func record(in shape: inout QueryShape) { wrapped.record(in: &shape) }
}

extension PredicateExpressions.Equal: ShapedTruth where LHS: ShapedOperand, RHS: ShapedOperand {
  func record(in shape: inout QueryShape) {
    // Two constants are folded; two attributes are compared by the rules of both.
    guard LHS.isConstant != RHS.isConstant else { return shape.markUncertain() }
    lhs.record(in: &shape, isEquality: true)
    rhs.record(in: &shape, isEquality: true)
  }
}

extension PredicateExpressions.NotEqual: ShapedTruth where LHS: ShapedOperand, RHS: ShapedOperand {
  func record(in shape: inout QueryShape) {
    guard LHS.isConstant != RHS.isConstant else { return shape.markUncertain() }
    lhs.record(in: &shape, isEquality: true)
    rhs.record(in: &shape, isEquality: true)
  }
}

extension PredicateExpressions.Comparison: ShapedTruth
where LHS: ShapedOperand, RHS: ShapedOperand {
  func record(in shape: inout QueryShape) {
    guard LHS.isConstant != RHS.isConstant else { return shape.markUncertain() }
    switch op {
    case .lessThan: shape.append(0)
    case .lessThanOrEqual: shape.append(1)
    case .greaterThan: shape.append(2)
    case .greaterThanOrEqual: shape.append(3)
    @unknown default: return shape.markUncertain()
    }
    lhs.record(in: &shape, isEquality: false)
    rhs.record(in: &shape, isEquality: false)
  }
}

// MARK: - Operands

extension PredicateExpressions.KeyPath: ShapedOperand where Root: ShapedVariable {
  static var isConstant: Bool { false }

  func record(in shape: inout QueryShape, isEquality: Bool) {
    // A predicate that was built manually may contain the variable of another predicate.
    guard root.key == shape.variable else { return shape.markUncertain() }
    shape.append(keyPath: keyPath)
  }
}

extension PredicateExpressions.KeyPath: ShapedTruth where Root: ShapedVariable, Output == Bool {
  func record(in shape: inout QueryShape) { record(in: &shape, isEquality: true) }
}

extension PredicateExpressions.Value: ShapedOperand where Output: ShapedConstant {
  static var isConstant: Bool { true }

  func record(in shape: inout QueryShape, isEquality: Bool) {
    shape.append(constant: value.parameter(isEquality: isEquality))
  }
}
