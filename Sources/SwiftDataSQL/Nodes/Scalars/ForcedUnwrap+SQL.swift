import SwiftDataCore

extension Translation {
  /// Evaluation throws at nil, which SQL can't do; so only values already known not to be nil are
  /// translated.
  mutating func forcedUnwrap(_ part: PredicateNode) throws(Untranslatable) -> Operand {
    switch try operand(part) {
    case .constant(let value):
      guard let unwrapped = ConstantEncoding.unwrap(value) else {
        throw Untranslatable("a captured nil is unwrapped by force")
      }
      return .constant(unwrapped)
    // Columns only: computed values with the same SQL may differ in their bindings, which the facts
    // don't contain.
    case .term(var term)
    where term.isColumn && isKnownNonNil(term.fragment.sql):
      term.isOptional = false
      return .term(term)
    case .model(var model) where isKnownNonNil(model.rowID.sql):
      model.isOptional = false
      return .model(model)
    case .composite(var composite):
      guard let presence = composite.model.names.presenceColumn(of: composite.property),
        isKnownNonNil(composite.model.column(presence).sql)
      else { break }
      composite.isOptional = false
      return .composite(composite)
    default: break
    }
    throw Untranslatable("unwrapping by force fails at nil, where SQL would not")
  }
}
