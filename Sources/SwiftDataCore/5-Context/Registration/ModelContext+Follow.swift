/// Models that were read by a context that has ended are taken in with what they lead to.
extension ModelContext {
  /// Prepares a saved model whose context has ended to be taken into this context: what a fetch left out is read.
  ///
  /// In another store, the numbers of its row and of its destinations' rows are those of other rows, so all that it
  /// leads to is read from its own store before it is taken in. The models found lead to each other directly
  /// afterwards, and have no rows.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` when its store can't be read: nothing has changed then.
  func prepareToTakeIn(_ model: any PersistentModel, _ state: _ModelState) throws {
    guard state.rowID != 0, let former = state.link, former !== link, let plan = state.plan,
      let own = core.plan(of: type(of: model))
    else { return }
    model.fillMissing()
    guard former.storeIdentifier(of: plan) != link.storeIdentifier(of: own) else { return }
    let loader = former.loader
    var found: [FollowingModel] = []
    var waiting = [model]
    var known: Set<ObjectIdentifier> = [ObjectIdentifier(model)]
    // No model leaves the former context's registration before all are found: each row has one instance.
    while found.count < waiting.count {
      let following = try loader.following(waiting[found.count], into: link)
      found.append(following)
      for destination in following.links.flatMap(\.models) {
        let state = destination._$modelState
        guard state.link === former, state.rowID != 0, !state.flags.contains(.alias),
          known.insert(ObjectIdentifier(destination)).inserted
        else { continue }
        waiting.append(destination)
      }
    }
    for following in found { following.leave(former) }
  }

  /// Reads what a model of the former context leads to.
  private func following(
    _ model: any PersistentModel, into successor: ContextLink
  ) throws -> FollowingModel {
    let state = model._$modelState
    guard let plan = state.plan else { return FollowingModel(model: model, links: []) }
    model.fillMissing()
    let isStored = !state.flags.contains(.rowDeleted)
    guard !isStored || state.partial == nil else { throw unreadable(plan.name) }
    return FollowingModel(
      model: model,
      links: try plan.relationships.compactMap { index in
        guard let relationship = plan.properties[index].relationship else { return nil }
        var models = linksResolvingAliases(of: model, at: index)
        if models == nil, isStored, isRead(relationship, of: state, at: index) {
          guard
            !relationship.isToMany || state.linkChanges(at: index)?.base != nil
              || loadList(of: model, index)
          else { throw unreadable("\(plan.name).\(plan.properties[index].name)") }
          models = destinations(of: model, index)
          guard !isUnread(relationship, of: model, at: index) else {
            throw unreadable("\(plan.name).\(plan.properties[index].name)")
          }
        }
        return models.map { (index, $0.map { link.successor(of: $0, in: successor) }) }
      })
  }

  /// Whether a relationship that isn't in memory leads to anything that can be read.
  private func isRead(
    _ relationship: RelationshipPlan, of state: _ModelState, at index: Int
  ) -> Bool {
    relationship.storage != .column || state.reference(at: index) != nil
  }

  /// Whether a to-one relationship could not be read: one to a row that is gone was read, and leads nowhere.
  private func isUnread(
    _ relationship: RelationshipPlan, of model: any PersistentModel, at index: Int
  ) -> Bool {
    guard !relationship.isToMany, case .notLoaded = model.links(at: index) else { return false }
    guard relationship.storage == .column else { return true }
    // A registered destination isn't put into the storage, and a deleted one isn't there.
    return model._$modelState.reference(at: index).map {
      registeredModel($0, of: relationship.destination) == nil
    } ?? false
  }

  private func unreadable(_ name: String) -> SwiftDataError {
    SwiftDataError.modelValidationFailure.explained(
      "A model whose context has ended was inserted into another store, and \(name) can't be read"
        + " from its own one. Insert it while that store can be read.")
  }
}

extension ContextLink {
  /// Returns the identifier of the store that has the models of `plan`.
  fileprivate func storeIdentifier(of plan: EntityPlan) -> String? {
    (core.entry(of: plan) ?? core.entry(named: plan.name))?.store.identifier
  }
}

/// A model that leaves its ended context, and what it leads to.
private struct FollowingModel {
  let model: any PersistentModel
  let links: [(index: Int, models: [any PersistentModel])]

  /// Makes the model one without a row, which holds its destinations.
  func leave(_ former: ContextLink) {
    let state = model._$modelState
    guard let plan = state.plan else { return }
    for (index, models) in links {
      let isToMany = plan.properties[index].relationship?.isToMany == true
      model.fillLinks(isToMany ? .many(models) : .one(models.first), at: index)
    }
    former.recordLeaving(model, of: plan)
    for index in plan.relationships { state.setReference(nil, at: index) }
    state.linkChanges = []
    state.rowID = 0
    state.generation = 0
    state.group = nil
    state.link = nil
  }
}
