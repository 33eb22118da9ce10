extension EntityPlan {
  /// The plans of all classes of a schema, in their order.
  ///
  /// - Throws: ``SchemaError`` for a class that can't be stored.
  package static func plans(of types: [any PersistentModel.Type]) throws -> [EntityPlan] {
    let plans = try types.map { try make(for: $0) }
    var names: Set<String> = []
    for plan in plans where !names.insert(plan.name.lowercased()).inserted {
      throw SchemaError.entityClash(entity: plan.name)
    }
    return plans
  }
}
