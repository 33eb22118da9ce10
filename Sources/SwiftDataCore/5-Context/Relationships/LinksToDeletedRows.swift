/// The relationships of models that a save outdates without having changed them, because it deletes their destinations.
struct LinksToDeletedRows {
  /// The models that may hold deleted ones; nil when walking all registered models is the better way to find them.
  private let owners: [any PersistentModel]?
  /// The relationships that lead to deleted classes, by plan: most models share few plans.
  private var concerned: [ObjectIdentifier: [Int]] = [:]

  /// Finds the models that may hold those that a save is about to delete, while the deleted rows exist.
  init(of deleted: [any PersistentModel], in context: ModelContext) throws {
    owners = try Self.owners(ofFew: deleted, in: context)
  }

  /// Returns the models that may hold models that a save is about to delete; nil when walking all registered models is
  /// the better way to find them.
  ///
  /// A program that deletes and saves one model after the other must not pay for all registered models each time. The
  /// store knows which rows lead to a deleted one, as long as the deleted row exists. Changed and inserted models may
  /// hold other models than their rows say.
  private static func owners(
    ofFew deleted: [any PersistentModel], in context: ModelContext
  ) throws -> [any PersistentModel]? {
    guard !deleted.isEmpty, context.pending.droppedClasses.isEmpty,
      context.pending.batchDeletions.isEmpty
    else { return nil }
    let registered = context.link.rowIDMaps.values.reduce(0) { $0 + $1.count }
    guard deleted.count < registered / 64 else { return nil }
    var owners = context.pending.changed.models + context.pending.inserted.models
    for capabilities in context.core.capabilities {
      guard let store = capabilities.rowIDs else { return nil }
      for plan in store.plans {
        for index in plan.ownRelationships {
          guard let relationship = plan.properties[index].relationship,
            relationship.inverse == nil || context.isUnaffectedByDeletion(relationship)
          else { continue }
          let rowIDs = deleted.filter {
            ModelInheritance.isClass(type(of: $0), orSubclassOf: relationship.destination)
          }.map(\._$modelState.rowID)
          guard !rowIDs.isEmpty else { continue }
          if relationship.storage == .inverseColumn { return nil }
          let rows = context.link.rows(of: plan)
          owners += try store.owners(of: plan, index, destinations: rowIDs)
            .compactMap { rows[$0] as? any PersistentModel }
        }
      }
    }
    return owners
  }

  /// Removes, after a save, deleted models of some classes from relationships that have no inverse, and from those that
  /// the rules `noAction` and `deny` left alone.
  mutating func drop(toClasses classes: [any PersistentModel.Type], in context: ModelContext) {
    guard !classes.isEmpty else { return }
    let owners = owners ?? Self.registered(withLinksToAnyOf: classes, in: context)
    WorkCounter.add(owners.count, to: .linkOwners)
    for model in owners {
      guard let plan = model._$modelState.plan else { continue }
      let key = ObjectIdentifier(plan)
      let indices = concerned[key] ?? Self.relationships(of: plan, toAnyOf: classes, in: context)
      concerned[key] = indices
      for index in indices { Self.dropDeleted(of: model, index, in: context) }
    }
  }

  /// Returns the registered models of the tables with a class that may hold models of `classes`.
  private static func registered(
    withLinksToAnyOf classes: [any PersistentModel.Type], in context: ModelContext
  ) -> [any PersistentModel] {
    let tables = Set(
      context.core.stores.flatMap(\.plans)
        .filter { !relationships(of: $0, toAnyOf: classes, in: context).isEmpty }
        .map(\.table))
    return context.link.rowIDMaps.filter { tables.contains($0.key) }.values.flatMap(\.registered)
  }

  private static func relationships(
    of plan: EntityPlan, toAnyOf classes: [any PersistentModel.Type], in context: ModelContext
  ) -> [Int] {
    plan.relationships.filter { index in
      guard let relationship = plan.properties[index].relationship,
        classes.contains(where: {
          ModelInheritance.isClass($0, orSubclassOf: relationship.destination)
        })
      else { return false }
      return relationship.inverse == nil || context.isUnaffectedByDeletion(relationship)
    }
  }

  private static func dropDeleted(
    of model: any PersistentModel, _ index: Int, in context: ModelContext
  ) {
    // A list with recorded changes isn't in the model's storage.
    if model._$modelState.linkChanges(at: index) != nil {
      _ = context.destinations(of: model, index)
    }
    guard let models = model.links(at: index).models else { return }
    let kept = models.filter { !$0._$modelState.flags.contains(.rowDeleted) }
    guard kept.count < models.count else { return }
    for gone in models where gone._$modelState.flags.contains(.rowDeleted) {
      context.undo.recordLostLink(of: model, at: index, to: gone)
    }
    let isToMany = model._$modelState.relationship(at: index)?.isToMany == true
    model.setLinks(isToMany ? .many(kept) : .one(nil), at: index)
  }
}
