import SwiftDataCore

extension Translation {
  mutating func collectionContains(
    _ base: PredicateNode, _ other: PredicateNode, _ areTexts: Bool
  ) throws(Untranslatable) -> Operand {
    guard areTexts else { throw Untranslatable("only strings are searched for parts in SQL") }
    let text = try operand(base)
    let part = try operand(other)
    return .condition(try StringSearch.contains(text, part, in: &self))
  }
}
