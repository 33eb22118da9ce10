/// The relationships with an inverse between models without a context: the other end would lead back, so both models
/// come into a context together. A relationship without an inverse doesn't affect its destination.
struct DetachedReferences {
  private let core: ContainerCore
  private var entries: [ObjectIdentifier: Entry] = [:]
  /// Models of classes that the container doesn't have.
  private var unknownModels: [any PersistentModel] = []

  /// The number of models examined, for tests of the cost of insertions.
  private(set) var steps = 0

  private struct Entry {
    let destination: any PersistentModel
    var referrers: [any PersistentModel]
  }

  init(_ core: ContainerCore) { self.core = core }

  /// Records the destinations of models.
  mutating func record(_ models: [any PersistentModel]) {
    steps += models.count
    for model in models where model._$modelState.link == nil {
      guard let plan = core.plan(of: type(of: model)) else {
        unknownModels.append(model)
        continue
      }
      for index in plan.relationships where plan.properties[index].relationship?.inverse != nil {
        for destination in model.links(at: index, of: plan).models ?? [] {
          let entry = Entry(destination: destination, referrers: [])
          entries[ObjectIdentifier(destination), default: entry].referrers.append(model)
        }
      }
    }
  }

  /// Returns the models that lead to a model and are in no context.
  func referrers(of model: any PersistentModel) -> [any PersistentModel] {
    entries[ObjectIdentifier(model)]?.referrers.filter { $0._$modelState.link == nil } ?? []
  }

  /// Reconnects the models that haven't come into the context. Only those that would come into a context together are
  /// connected, so that they aren't examined each time that another one is inserted.
  func connectRest() {
    for entry in entries.values where entry.destination._$modelState.link == nil {
      for referrer in entry.referrers { DetachedGroup.connect(referrer, entry.destination) }
    }
    for model in unknownModels.dropFirst() { DetachedGroup.connect(unknownModels[0], model) }
  }
}
