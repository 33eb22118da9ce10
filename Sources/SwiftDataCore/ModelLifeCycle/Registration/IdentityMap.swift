/// The models of one entity that a context has made, by row id. Classes of one family share their rows.
final class IdentityMap {
  let plan: EntityPlan
  let store: any ModelStore
  private let rows: IdentityRows

  init(_ entry: ContainerCore.Entry, _ rows: IdentityRows) {
    plan = entry.plan
    store = entry.store
    self.rows = rows
  }

  subscript(rowID: Int64) -> AnyObject? {
    get { rows[rowID] }
    set { rows[rowID] = newValue }
  }

  /// A group for models that are about to be read together; nil when nothing of them loads later.
  func makeGroup() -> FetchGroup? {
    plan.relationships.isEmpty && plan.family == nil ? nil : FetchGroup(plan)
  }
}

/// The models of one table that a context has made, by row id. It doesn't keep them alive.
final class IdentityRows {
  private struct Weak {
    weak var model: AnyObject?
  }

  private var models: [Int64: Weak] = [:]
  /// Models whose rows have gone. They keep what they were related to, and so each other.
  private var departed: [Weak] = []
  /// The size at which the map looks for models that are gone.
  private var nextSweep = 1024

  subscript(rowID: Int64) -> AnyObject? {
    get { models[rowID]?.model }
    set {
      guard let newValue else {
        if let gone = models.removeValue(forKey: rowID) { departed.append(gone) }
        if departed.count >= nextSweep { sweep() }
        return
      }
      if models.count >= nextSweep { sweep() }
      models[rowID] = Weak(model: newValue)
    }
  }

  /// The rows of a range that models were made of; some of them may be gone.
  func rowIDs(in range: ClosedRange<Int64>) -> [Int64] {
    // A transaction may have touched millions of rows, and the context know few.
    range.count <= models.count
      ? range.filter { models[$0] != nil } : models.keys.filter(range.contains)
  }

  /// The rows that models were made of; some of them may be gone.
  var rowIDs: [Int64] { Array(models.keys) }

  /// The models that are alive.
  var registered: [any PersistentModel] {
    models.values.compactMap { $0.model as? any PersistentModel }
  }

  /// Empties relationships, by which models could hold each other without end, and with them the store. They are read
  /// again when somebody asks. Unsaved changes of relationships go with the context that would have saved them.
  func breakCycles() {
    let gone = departed.compactMap { $0.model as? any PersistentModel }
    for model in registered + gone {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      if !state.linkChanges.isEmpty { state.linkChanges = [] }
      for index in plan.relationships { release(index, of: model, state) }
    }
  }

  private func release(_ index: Int, of model: any PersistentModel, _ state: _ModelState) {
    switch model.links(at: index) {
    case .many: model._$clear(index)
    case .one(let destination?):
      model._$clear(index)
      let rowID = destination._$modelState.rowID
      if rowID != 0 { state.setReference(rowID, at: index) }
    case .one(nil), .notLoaded: break
    }
  }

  private func sweep() {
    departed = departed.filter { $0.model != nil }
    models = models.filter { $0.value.model != nil }
    nextSweep = max(1024, max(models.count, departed.count) * 2)
  }
}
