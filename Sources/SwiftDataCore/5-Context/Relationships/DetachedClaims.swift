/// The relationships with an inverse between models without a context: the other end would lead back, so both models
/// come into a context together. A relationship without an inverse doesn't affect its destination.
struct DetachedClaims {
  private let core: ContainerCore
  private var claims: [ObjectIdentifier: Claim] = [:]
  /// Models of classes that the container doesn't have.
  private var strangers: [any PersistentModel] = []

  /// The number of models examined, for tests of the cost of insertions.
  private(set) var steps = 0

  private struct Claim {
    let destination: any PersistentModel
    var claimants: [any PersistentModel]
  }

  init(_ core: ContainerCore) { self.core = core }

  /// Records the destinations of models.
  mutating func note(_ models: [any PersistentModel]) {
    steps += models.count
    for model in models where model._$modelState.link == nil {
      guard let plan = core.plan(of: type(of: model)) else {
        strangers.append(model)
        continue
      }
      for index in plan.relationships where plan.properties[index].relationship?.inverse != nil {
        for destination in model.links(at: index, of: plan).models ?? [] {
          let claim = Claim(destination: destination, claimants: [])
          claims[ObjectIdentifier(destination), default: claim].claimants.append(model)
        }
      }
    }
  }

  /// Returns the models that lead to a model and are in no context.
  func claimants(of model: any PersistentModel) -> [any PersistentModel] {
    claims[ObjectIdentifier(model)]?.claimants.filter { $0._$modelState.link == nil } ?? []
  }

  /// Reconnects the models that haven't come into the context. Only those that would come into a context together are
  /// connected, so that they aren't examined each time that another one is inserted.
  func connectRest() {
    for claim in claims.values where claim.destination._$modelState.link == nil {
      for claimant in claim.claimants { DetachedGroup.connect(claimant, claim.destination) }
    }
    for model in strangers.dropFirst() { DetachedGroup.connect(strangers[0], model) }
  }
}
