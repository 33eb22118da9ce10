import Foundation
import SwiftDataCore

extension PredicateExpressions.KeyPath: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    switch try translation.operand(root) {
    case .constant(let value):
      guard let value = value as? Root.Output else {
        throw Untranslatable("a captured value is nil")
      }
      return .constant(value[keyPath: keyPath])
    case .model(let model): return try property(of: model, in: &translation)
    case .elements(let rows): return try member(of: rows)
    case .composite(let composite):
      guard let names = KeyPathNames.names(of: keyPath) else {
        throw Untranslatable("\(Root.Output.self) has computed properties, which SQL doesn't know")
      }
      return try composite.member(names, type: Output.self)
    case .term(let term) where term.kind.encoding == .json:
      guard Root.Output.self is any StoredList.Type, let kind else {
        throw Untranslatable("members of values kept as JSON are not in SQL")
      }
      switch kind {
      case .collectionCount:
        return .term(TermMembers.listCount(of: term, in: translation.dialect))
      case .collectionIsEmpty:
        return .term(TermMembers.listIsEmpty(term, in: translation.dialect))
      default: throw Untranslatable("elements of lists kept as JSON are not in SQL")
      }
    case .term(let term):
      return .term(
        try TermMembers.member(
          keyPath, of: term, as: Output.self, in: translation.dialect))
    case .condition, .range:
      throw Untranslatable("properties of computed values are not in SQL")
    }
  }

  private func property(
    of model: ModelReference, in translation: inout Translation
  ) throws(Untranslatable) -> Operand {
    let plan = model.names.plan
    guard let index = plan.property(for: keyPath) else {
      guard Output.self == PersistentIdentifier.self else {
        throw Untranslatable("\(plan.name) has computed properties, which SQL doesn't know")
      }
      return .term(try model.identifier(keyPath))
    }
    return try model.property(index, in: &translation)
  }

  private func member(of rows: ElementRows) throws(Untranslatable) -> Operand {
    switch kind {
    case .collectionCount: return .term(try rows.count())
    case .collectionIsEmpty: return .condition(try rows.exist().negated())
    default: throw Untranslatable("the first and last of many models are known to memory only")
    }
  }
}
