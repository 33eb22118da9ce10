/// The state of a model when it was removed, for the case that undoing restores the model. The undo manager keeps it
/// alive.
final class RemovedModelState {
  let model: any PersistentModel
  /// Whether the model was removed because its insertion was undone.
  let isUndoneInsertion: Bool
  /// Whether it had never been saved: the relationships that led to it have lost it immediately.
  let wasNew: Bool
  /// The destinations of its relationships, with their positions.
  let links: [(index: Int, models: [any PersistentModel])]
  /// Ends of relationships that lost the model because its row is gone.
  var lost: [(owner: any PersistentModel, index: Int)] = []

  init(
    _ model: any PersistentModel, isUndoneInsertion: Bool,
    links: [(index: Int, models: [any PersistentModel])]
  ) {
    self.model = model
    self.isUndoneInsertion = isUndoneInsertion
    self.links = links
    wasNew = model._$modelState.flags.contains(.inserted)
  }
}

/// The states that may still be undone, by model.
struct RemovedModelStates {
  private struct Weak {
    weak var state: RemovedModelState?
  }

  private var states: [ObjectIdentifier: Weak] = [:]
  /// The size at which states that can't be undone any more are removed.
  private var nextSweep = 64

  subscript(model: any PersistentModel) -> RemovedModelState? {
    states[ObjectIdentifier(model)]?.state
  }

  mutating func insert(_ state: RemovedModelState) {
    if states.count >= nextSweep {
      states = states.filter { $0.value.state != nil }
      nextSweep = max(64, states.count * 2)
    }
    states[ObjectIdentifier(state.model)] = Weak(state: state)
  }

  mutating func remove(_ model: any PersistentModel) {
    states[ObjectIdentifier(model)] = nil
  }

  mutating func removeAll() { states.removeAll() }
}
