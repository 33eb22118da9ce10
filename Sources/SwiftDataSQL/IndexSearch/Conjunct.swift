import Foundation
import SwiftDataCore

extension Conjuncts {
  /// Records what a conjunct of the whole predicate tells about columns, if an index may restrict
  /// the rows by it.
  mutating func record(_ node: PredicateNode) {
    switch node {
    case .conjunction(let left, let right):
      record(left)
      record(right)
    case .comparison(let left, let op, let right, _):
      record(operand(left), op, operand(right))
    case .equal(let left, let right, _): recordEqual(operand(left), operand(right))
    case .rangeContains(let range, let element):
      record(operand(element), within: operand(range))
    case .stringOperation(let text, let part, let operation):
      guard operation == PredicateExpressions._LocalizedStandardContains.self else { return }
      record(search: operand(part), in: operand(text))
    case .value, .variable, .disjunction, .negation, .conditional, .composed, .notEqual, .keyPath,
      .typeCheck, .conditionalCast, .forceCast, .nilCoalesce, .forcedUnwrap, .optionalFlatMap,
      .arithmetic, .division, .unaryMinus, .sequenceContains, .sequenceContainsWhere,
      .sequenceAllSatisfy, .filter, .sequenceExtreme, .sequenceStartsWith, .collectionContains,
      .range, .inMemory, .unknown:
      break
    }
  }

  private mutating func record(
    _ left: Operand?, _ op: PredicateExpressions.ComparisonOperator, _ right: Operand?
  ) {
    let isGreater = op == .greaterThan || op == .greaterThanOrEqual
    let isLess = op == .lessThan || op == .lessThanOrEqual
    guard isGreater || isLess else { return }
    if let column = column(left), let bound = number(right) {
      if isGreater {
        record(column, lower: bound)
      } else {
        record(column, upper: bound)
      }
    } else if let column = column(right), let bound = number(left) {
      if isGreater {
        record(column, upper: bound)
      } else {
        record(column, lower: bound)
      }
    }
  }

  private mutating func recordEqual(_ left: Operand?, _ right: Operand?) {
    let isMirrored = column(left) == nil
    guard let column = column(isMirrored ? right : left),
      let number = number(isMirrored ? left : right)
    else { return }
    record(column, lower: number)
    record(column, upper: number)
  }

  private mutating func record(_ element: Operand?, within range: Operand?) {
    guard let column = column(element) else { return }
    let bounds: RangeBounds
    switch range {
    case .range(let known): bounds = known
    case .constant(let captured):
      guard let known = captured as? any CapturedRange else { return }
      bounds = known.bounds
    default: return
    }
    if let lower = bounds.lower.flatMap(Self.number) { record(column, lower: lower) }
    if let upper = bounds.upper.flatMap(Self.number) { record(column, upper: upper) }
  }

  private mutating func record(search part: Operand?, in text: Operand?) {
    guard let column = column(text), case .constant(let value) = part, let part = value as? String
    else { return }
    searches.append((column, part))
  }
}
