import Foundation
import SwiftDataCore

extension Translation {
  mutating func comparison(
    _ lhs: PredicateNode, _ op: PredicateExpressions.ComparisonOperator, _ rhs: PredicateNode,
    _ type: any Comparable.Type
  ) throws(Untranslatable) -> Operand {
    let left = try operand(lhs)
    let right = try operand(rhs)
    switch (left, right) {
    case (.constant(let first), .constant(let second)):
      guard let holds = ConstantOperations.compare(first, op, second, as: type) else {
        throw Untranslatable("two constants aren't of one type")
      }
      return .condition(Condition(holds, in: dialect))
    case (.term(let term), .constant(let value)):
      guard let coalesced = term.coalesced,
        let fallback = ConstantOperations.compare(coalesced.fallback, op, value, as: type)
      else { break }
      let bare = try Ordering.condition(.term(coalesced.base), op, right, in: dialect)
      return .condition(
        coalesced.base.split(bare, whenNil: Condition(fallback, in: dialect)))
    default: break
    }
    return .condition(try Ordering.condition(left, op, right, in: dialect))
  }
}
