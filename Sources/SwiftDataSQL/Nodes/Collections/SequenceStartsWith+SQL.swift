import SwiftDataCore

extension Translation {
  mutating func sequenceStartsWith(
    _ base: PredicateNode, _ prefix: PredicateNode, _ areTexts: Bool
  ) throws(Untranslatable) -> Operand {
    guard areTexts else {
      throw Untranslatable("only strings are searched for a beginning in SQL")
    }
    let text = try operand(base)
    let beginning = try operand(prefix)
    return .condition(try StringSearch.starts(text, with: beginning, in: &self))
  }
}
