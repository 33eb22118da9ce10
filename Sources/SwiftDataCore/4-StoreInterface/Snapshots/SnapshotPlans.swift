import Synchronization

/// Finds the plan of an entity for a snapshot that is being decoded: the encoded form contains the entity's name only.
///
/// While a container calls a custom store, its own plans are in force, so that two schemas may have entities of the
/// same name. Otherwise the plans of the container that was created last apply.
package enum SnapshotPlans {
  @TaskLocal private static var inForce: [String: EntityPlan]?

  private static let known = Mutex<[String: EntityPlan]>([:])

  /// Runs `body` with `plans` in force.
  package static func with<Result>(
    _ plans: [String: EntityPlan], _ body: () throws -> Result
  ) rethrows -> Result {
    try $inForce.withValue(plans, operation: body)
  }

  /// Registers the plans of a container.
  package static func remember(_ plans: [EntityPlan]) {
    known.withLock { known in for plan in plans { known[plan.name] = plan } }
  }

  static func plan(named name: String) -> EntityPlan? {
    inForce?[name] ?? known.withLock { $0[name] }
  }

  /// Returns the plan of a class.
  static func plan<Model: PersistentModel>(for type: Model.Type) throws -> EntityPlan {
    if let plan = plan(named: Schema.entityName(for: type)), plan.type == type { return plan }
    let plans = try EntityPlan.plans(of: Schema(type).types)
    guard let plan = plans.first(where: { $0.type == type }) else {
      throw SwiftDataError.unknownSchema.explained("\(type) isn't part of any schema.")
    }
    return plan
  }
}
