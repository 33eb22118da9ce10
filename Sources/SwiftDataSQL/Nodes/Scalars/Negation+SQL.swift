import SwiftDataCore

extension Translation {
  mutating func negation(_ part: PredicateNode) throws(Untranslatable) -> Operand {
    let outer = approximation
    approximation = outer.opposite
    defer { approximation = outer }
    return .condition(try condition(part).negated())
  }
}
