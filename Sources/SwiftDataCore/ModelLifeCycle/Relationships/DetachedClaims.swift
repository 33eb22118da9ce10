/// The relationships between models of no context that have an inverse: the other end would lead back, so both models come
/// into a context together. A relationship without an inverse says nothing to its destination.
struct DetachedClaims {
  private let core: ContainerCore
  private var claims: [ObjectIdentifier: Claim] = [:]
  /// Models of classes that the container doesn't have.
  private var strangers: [any PersistentModel] = []

  /// The number of models looked at, for tests of what insertions cost.
  private(set) var steps = 0

  private struct Claim {
    let destination: any PersistentModel
    var claimants: [any PersistentModel]
  }

  init(_ core: ContainerCore) { self.core = core }

  /// Notes what models lead to.
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

  /// The models that lead to a model and are in no context.
  func claimants(of model: any PersistentModel) -> [any PersistentModel] {
    claims[ObjectIdentifier(model)]?.claimants.filter { $0._$modelState.link == nil } ?? []
  }

  /// Connects again what hasn't come into the context: just those that would come together, so that they aren't looked at
  /// each time that another one is inserted.
  func connectRest() {
    for claim in claims.values where claim.destination._$modelState.link == nil {
      for claimant in claim.claimants { DetachedGroup.connect(claimant, claim.destination) }
    }
    for model in strangers.dropFirst() { DetachedGroup.connect(strangers[0], model) }
  }
}
