import SwiftDataCore

extension Translation {
  mutating func member(
    _ keyPath: AnyKeyPath, of root: PredicateNode
  ) throws(Untranslatable) -> Operand {
    let type = Swift.type(of: keyPath).valueType
    switch try operand(root) {
    case .constant(let value):
      guard let member = ConstantOperations.member(keyPath, of: value) else {
        throw Untranslatable("a captured value is nil")
      }
      return .constant(member)
    case .model(let model): return try property(keyPath, of: model)
    case .elements(let rows): return try member(keyPath, of: rows)
    case .composite(let composite):
      guard let names = KeyPathNames.names(of: keyPath) else {
        throw Untranslatable(
          "\(Swift.type(of: keyPath).rootType) has computed properties, which SQL doesn't know")
      }
      return try composite.member(names, type: type)
    case .term(let term) where term.kind.encoding == .json:
      guard Swift.type(of: keyPath).rootType is any StoredList.Type,
        let member = CollectionMember(keyPath)
      else { throw Untranslatable("members of values kept as JSON are not in SQL") }
      switch member {
      case .count: return .term(TermMembers.listCount(of: term, in: dialect))
      case .isEmpty: return .term(TermMembers.listIsEmpty(term, in: dialect))
      case .element: throw Untranslatable("elements of lists kept as JSON are not in SQL")
      }
    case .term(let term):
      return .term(try TermMembers.member(keyPath, of: term, as: type, in: dialect))
    case .condition, .range:
      throw Untranslatable("properties of computed values are not in SQL")
    }
  }

  private mutating func property(
    _ keyPath: AnyKeyPath, of model: ModelReference
  ) throws(Untranslatable) -> Operand {
    let plan = model.names.plan
    guard let index = plan.property(for: keyPath) else {
      guard type(of: keyPath).valueType == PersistentIdentifier.self else {
        throw Untranslatable("\(plan.name) has computed properties, which SQL doesn't know")
      }
      return .term(try model.identifier(keyPath))
    }
    return try model.property(index, in: &self)
  }

  private func member(
    _ keyPath: AnyKeyPath, of rows: ElementRows
  ) throws(Untranslatable) -> Operand {
    switch CollectionMember(keyPath) {
    case .count: return .term(try rows.count())
    case .isEmpty: return .condition(try rows.exist().negated())
    case .element, nil:
      throw Untranslatable("the first and last of many models are known to memory only")
    }
  }
}
