import SwiftDataCore

extension Translation {
  /// - Parameter type: The type of the list.
  mutating func sequenceExtreme(
    _ extreme: PredicateNode.SequenceExtreme, _ elements: PredicateNode, _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    guard let rows = try rows(try operand(elements), type) else {
      throw Untranslatable("the least and the greatest of captured values are known to Swift only")
    }
    switch extreme {
    case .minimum: return .term(try rows.extreme("min"))
    case .maximum: return .term(try rows.extreme("max"))
    }
  }
}
