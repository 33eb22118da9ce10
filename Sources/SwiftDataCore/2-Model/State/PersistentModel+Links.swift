extension PersistentModel {
  /// Loads the properties that a fetch left out; observers aren't notified.
  func fillMissing() {
    let state = _$modelState
    if state.partial != nil { _ = state.link?.loader.fill(self) }
  }

  /// Returns the current contents of the relationship at `index`; nothing is loaded for it.
  package func links(at index: Int) -> LoadedLinks {
    guard let plan = _$modelState.plan else { return .notLoaded }
    return links(at: index, of: plan)
  }

  /// Returns the same for a model that may be in no context, and so has no plan of its own.
  func links(at index: Int, of plan: EntityPlan) -> LoadedLinks {
    var writer = _RowWriter(collecting: index, of: plan)
    _$encode(index, into: &writer)
    return writer.links
  }

  /// Puts destinations into the storage of the relationship at `index`. Only observers are notified.
  func setLinks(_ links: ResolvedLinks, at index: Int) {
    guard let plan = _$modelState.plan else { return }
    replace(index, plan) { $0.fillLinks(links, at: index) }
  }

  /// Does the same for values that existed before and are only loaded now, without notifying observers.
  func fillLinks(_ links: ResolvedLinks, at index: Int) {
    let state = _$modelState
    guard let plan = state.plan else { return }
    var reader = _RowReader(links, for: index, of: plan, state)
    do { try _$decode(index, from: &reader) } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "\(plan.name).\(plan.properties[index].name) can't be set", error)
    }
  }
}

extension _ModelState {
  /// The relationship at `index`; nil for an attribute and for a model that is in no context.
  func relationship(at index: Int) -> RelationshipPlan? { plan?.properties[index].relationship }
}
