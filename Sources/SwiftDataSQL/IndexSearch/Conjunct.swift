import Foundation
import SwiftDataCore

/// A node that, as a conjunct of the whole predicate, may restrict the rows by means of an index.
protocol Conjunct {
  func note(in conjuncts: inout Conjuncts)
}

extension PredicateExpressions.Conjunction: Conjunct {
  func note(in conjuncts: inout Conjuncts) {
    (lhs as? any Conjunct)?.note(in: &conjuncts)
    (rhs as? any Conjunct)?.note(in: &conjuncts)
  }
}

extension PredicateExpressions.Comparison: Conjunct {
  func note(in conjuncts: inout Conjuncts) {
    let left = conjuncts.operand(lhs)
    let right = conjuncts.operand(rhs)
    let isGreater = op == .greaterThan || op == .greaterThanOrEqual
    let isLess = op == .lessThan || op == .lessThanOrEqual
    guard isGreater || isLess else { return }
    if let column = conjuncts.column(left), let bound = conjuncts.number(right) {
      if isGreater {
        conjuncts.note(column, lower: bound)
      } else {
        conjuncts.note(column, upper: bound)
      }
    } else if let column = conjuncts.column(right), let bound = conjuncts.number(left) {
      if isGreater {
        conjuncts.note(column, upper: bound)
      } else {
        conjuncts.note(column, lower: bound)
      }
    }
  }
}

extension PredicateExpressions.Equal: Conjunct {
  func note(in conjuncts: inout Conjuncts) {
    let left = conjuncts.operand(lhs)
    let right = conjuncts.operand(rhs)
    let isMirrored = conjuncts.column(left) == nil
    guard let column = conjuncts.column(isMirrored ? right : left),
      let number = conjuncts.number(isMirrored ? left : right)
    else { return }
    conjuncts.note(column, lower: number)
    conjuncts.note(column, upper: number)
  }
}

extension PredicateExpressions.RangeExpressionContains: Conjunct {
  func note(in conjuncts: inout Conjuncts) {
    guard let column = conjuncts.column(conjuncts.operand(element)) else { return }
    let bounds: RangeBounds
    switch conjuncts.operand(range) {
    case .range(let known): bounds = known
    case .constant(let captured):
      guard let known = captured as? any CapturedRange else { return }
      bounds = known.bounds
    default: return
    }
    if let lower = bounds.lower.flatMap(Conjuncts.number) { conjuncts.note(column, lower: lower) }
    if let upper = bounds.upper.flatMap(Conjuncts.number) { conjuncts.note(column, upper: upper) }
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: Conjunct {
  func note(in conjuncts: inout Conjuncts) {
    guard let column = conjuncts.column(conjuncts.operand(root)),
      case .constant(let value) = conjuncts.operand(other), let part = value as? String
    else { return }
    conjuncts.searches.append((column, part))
  }
}
