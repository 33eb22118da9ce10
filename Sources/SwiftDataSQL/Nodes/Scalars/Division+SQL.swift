import SwiftDataCore

extension Translation {
  mutating func division(
    _ lhs: PredicateNode, _ operation: IntegerOperation, _ rhs: PredicateNode,
    _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    .term(
      try Arithmetic.term(
        try operand(lhs), operation, try operand(rhs), as: type, in: dialect))
  }
}
