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

  func reserve(_ count: Int) { models.reserveCapacity(models.count + count) }

  private func sweep() {
    models = models.filter { $0.value.model != nil }
    nextSweep = max(1024, models.count * 2)
  }
}
