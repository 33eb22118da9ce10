/// The models of one entity that a context has made, by row id. It doesn't keep them alive.
final class IdentityMap {
  private struct Weak {
    weak var model: AnyObject?
  }

  let plan: EntityPlan
  let store: any ModelStore
  private var models: [Int64: Weak] = [:]
  /// The size at which the map looks for models that are gone.
  private var nextSweep = 1024

  init(_ entry: ContainerCore.Entry) {
    plan = entry.plan
    store = entry.store
  }

  subscript(rowID: Int64) -> AnyObject? {
    get { models[rowID]?.model }
    set {
      guard let newValue else {
        models[rowID] = nil
        return
      }
      if models.count >= nextSweep { sweep() }
      models[rowID] = Weak(model: newValue)
    }
  }

  var isEmpty: Bool { models.isEmpty }

  /// The models that are alive.
  var registered: [any PersistentModel] {
    models.values.compactMap { $0.model as? any PersistentModel }
  }

  func reserve(_ count: Int) { models.reserveCapacity(models.count + count) }

  /// A group for models that are about to be read together; nil when nothing of them loads later.
  func makeGroup() -> FetchGroup? {
    plan.relationships.isEmpty ? nil : FetchGroup(plan)
  }

  /// Empties the relationships by which saved models could hold each other without end. They are read again
  /// when somebody asks.
  func breakCycles() {
    let properties = plan.relationships.filter { index in
      let relationship = plan.properties[index].relationship
      return relationship?.inverse == nil || relationship?.joinTable != nil
    }
    guard !properties.isEmpty else { return }
    for model in registered {
      let state = model._$modelState
      guard state.flags.isEmpty else { continue }
      for index in properties where !state.changes.contains(index) {
        guard case .many = model.links(at: index) else {
          if case .one(let destination?) = model.links(at: index) {
            model._$clear(index)
            let rowID = destination._$modelState.rowID
            if rowID != 0 { state.setReference(rowID, at: index) }
          }
          continue
        }
        model._$clear(index)
      }
    }
  }

  private func sweep() {
    models = models.filter { $0.value.model != nil }
    nextSweep = max(1024, models.count * 2)
  }
}
