import Foundation
import SwiftDataCore

/// A node that, as a conjunct of the whole predicate, may restrict the rows by means of an index.
protocol Conjunct {
  func record(in conjuncts: inout Conjuncts)
}

extension PredicateExpressions.Conjunction: Conjunct {
  func record(in conjuncts: inout Conjuncts) {
    (lhs as? any Conjunct)?.record(in: &conjuncts)
    (rhs as? any Conjunct)?.record(in: &conjuncts)
  }
}

extension PredicateExpressions.Comparison: Conjunct {
  func record(in conjuncts: inout Conjuncts) {
    let left = conjuncts.operand(lhs)
    let right = conjuncts.operand(rhs)
    let isGreater = op == .greaterThan || op == .greaterThanOrEqual
    let isLess = op == .lessThan || op == .lessThanOrEqual
    guard isGreater || isLess else { return }
    if let column = conjuncts.column(left), let bound = conjuncts.number(right) {
      if isGreater {
        conjuncts.record(column, lower: bound)
      } else {
        conjuncts.record(column, upper: bound)
      }
    } else if let column = conjuncts.column(right), let bound = conjuncts.number(left) {
      if isGreater {
        conjuncts.record(column, upper: bound)
      } else {
        conjuncts.record(column, lower: bound)
      }
    }
  }
}

extension PredicateExpressions.Equal: Conjunct {
  func record(in conjuncts: inout Conjuncts) {
    let left = conjuncts.operand(lhs)
    let right = conjuncts.operand(rhs)
    let isMirrored = conjuncts.column(left) == nil
    guard let column = conjuncts.column(isMirrored ? right : left),
      let number = conjuncts.number(isMirrored ? left : right)
    else { return }
    conjuncts.record(column, lower: number)
    conjuncts.record(column, upper: number)
  }
}

extension PredicateExpressions.RangeExpressionContains: Conjunct {
  func record(in conjuncts: inout Conjuncts) {
    guard let column = conjuncts.column(conjuncts.operand(element)) else { return }
    let bounds: RangeBounds
    switch conjuncts.operand(range) {
    case .range(let known): bounds = known
    case .constant(let captured):
      guard let known = captured as? any CapturedRange else { return }
      bounds = known.bounds
    default: return
    }
    if let lower = bounds.lower.flatMap(Conjuncts.number) { conjuncts.record(column, lower: lower) }
    if let upper = bounds.upper.flatMap(Conjuncts.number) { conjuncts.record(column, upper: upper) }
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: Conjunct {
  func record(in conjuncts: inout Conjuncts) {
    guard let column = conjuncts.column(conjuncts.operand(root)),
      case .constant(let value) = conjuncts.operand(other), let part = value as? String
    else { return }
    conjuncts.searches.append((column, part))
  }
}
