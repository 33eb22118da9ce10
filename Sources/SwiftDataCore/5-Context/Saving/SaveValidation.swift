/// The constraints that the schema puts on relationships, checked before a save writes anything.
struct SaveValidation {
  let context: ModelContext

  /// - Throws: ``SwiftDataError/modelValidationFailure`` with the model, the relationship and the remedy.
  func check(_ changes: StoreChanges) throws {
    for model in changes.inserted { try check(model) }
    for model in changes.updated { try check(model) }
    for model in changes.deleted { try checkDeletion(of: model) }
  }

  private func check(_ model: any PersistentModel) throws {
    guard let plan = model._$modelState.plan else { return }
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship else { continue }
      if relationship.isToMany {
        try checkCount(of: model, index, plan, relationship)
      } else if !relationship.isOptional {
        try checkPresence(of: model, index, plan, relationship)
      }
    }
  }

  private func checkCount(
    of model: any PersistentModel, _ index: Int, _ plan: EntityPlan,
    _ relationship: RelationshipPlan
  ) throws {
    let (least, most) = (relationship.minimumModelCount, relationship.maximumModelCount)
    guard least > 0 || most > 0 else { return }
    let state = model._$modelState
    guard state.rowID == 0 || state.changes.contains(index) else { return }
    let count = context.destinations(of: model, index).count { !$0._$modelState.isDeleted }
    if relationship.isOptional, count == 0 { return }
    if count < least || (most > 0 && count > most) {
      let bounds = most > 0 ? "\(least) to \(most)" : "at least \(least)"
      throw failure(
        "\(plan.name).\(plan.properties[index].name) has \(count) models, but \(bounds) are demanded."
      )
    }
  }

  private func checkPresence(
    of model: any PersistentModel, _ index: Int, _ plan: EntityPlan,
    _ relationship: RelationshipPlan
  ) throws {
    let state = model._$modelState
    // A one-to-one relationship is checked at the end that stores the foreign key.
    guard relationship.storage == .column else { return }
    guard state.rowID == 0 || state.changes.contains(index) else { return }
    switch model.links(at: index) {
    case .one(let destination?) where !destination._$modelState.isDeleted: return
    case .notLoaded where state.reference(at: index) != nil: return
    default:
      throw failure(
        "\(plan.name).\(plan.properties[index].name) can't be nil, and its \(relationship.destinationEntity)"
          + " is missing or deleted. Set another one, delete the \(plan.name) too, or make the property"
          + " optional.")
    }
  }

  private func checkDeletion(of model: any PersistentModel) throws {
    guard let plan = model._$modelState.plan else { return }
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship,
        relationship.deleteRule == .deny
      else { continue }
      let count = context.destinations(of: model, index).count { destination in
        // A destination that has been moved to another model meanwhile doesn't prevent the deletion.
        !destination._$modelState.isDeleted
          && (relationship.inverse.map { context.refers(destination, $0, to: model) } ?? true)
      }
      if count > 0 {
        throw failure(
          "A \(plan.name) can't be deleted: \(plan.properties[index].name) still leads to \(count)"
            + " \(relationship.destinationEntity) and its delete rule is deny. Delete or move them first."
        )
      }
    }
  }

  private func failure(_ explanation: String) -> SwiftDataError {
    .modelValidationFailure.explained(explanation)
  }
}
