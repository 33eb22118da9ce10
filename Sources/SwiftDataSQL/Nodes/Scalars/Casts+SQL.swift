import SwiftDataCore

extension Translation {
  mutating func typeCheck(
    _ input: PredicateNode, _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    let model = try castModel(input)
    return .condition(Condition(try model.isOne(of: type, in: self), in: dialect))
  }

  /// The model where its row belongs to the class, nil elsewhere.
  mutating func conditionalCast(
    _ input: PredicateNode, _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    let model = try castModel(input)
    let plan = try plan(of: type)
    let isOne = try model.isOne(of: type, in: self)
    return .model(
      ModelReference(
        EntityNames.names(of: plan),
        rowID: isOne.enclosed("(CASE WHEN ", " THEN ").appending("", model.rowID, " END)"),
        depth: model.depth + 1, isOptional: true))
  }

  /// The model operand of a cast.
  private mutating func castModel(
    _ input: PredicateNode
  ) throws(Untranslatable) -> ModelReference {
    guard case .model(let model) = try operand(input) else {
      throw Untranslatable("only models have classes that rows tell")
    }
    return model
  }

  fileprivate func plan(of type: any Any.Type) throws(Untranslatable) -> EntityPlan {
    let wrapped = PropertyShape.unwrapped(type).type
    guard let plan = plans[ObjectIdentifier(wrapped)], wrapped == type else {
      throw Untranslatable("\(type) is no class of the schema")
    }
    return plan
  }
}

extension ModelReference {
  /// Whether the model's row belongs to a class or one of its subclasses; false where there is no row.
  fileprivate func isOne(
    of type: any Any.Type, in translation: Translation
  ) throws(Untranslatable) -> SQLFragment {
    let plan = try translation.plan(of: type)
    guard let family = names.plan.family, family === plan.family else {
      throw Untranslatable("\(plan.name) and \(names.plan.name) are of different families")
    }
    let classes = family.descendants(of: plan).map { SQLIdentifier.literal($0.name) }
    let entity = column(named: SQLIdentifier.quoted(EntityFamily.discriminator))
    let dialect = translation.dialect
    return dialect.coalesce(
      entity.appending(" IN (\(classes.joined(separator: ", ")))"),
      SQLFragment(dialect.truth(false)))
  }
}
