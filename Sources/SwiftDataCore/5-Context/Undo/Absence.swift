/// The state of a model when it was removed, for the case that undoing restores the model. The undo manager keeps it
/// alive.
final class Absence {
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

/// The absences that may still be undone, by model.
struct Absences {
  private struct Weak {
    weak var absence: Absence?
  }

  private var absences: [ObjectIdentifier: Weak] = [:]
  /// The size at which absences that can't be undone any more are removed.
  private var nextSweep = 64

  subscript(model: any PersistentModel) -> Absence? {
    absences[ObjectIdentifier(model)]?.absence
  }

  mutating func insert(_ absence: Absence) {
    if absences.count >= nextSweep {
      absences = absences.filter { $0.value.absence != nil }
      nextSweep = max(64, absences.count * 2)
    }
    absences[ObjectIdentifier(absence.model)] = Weak(absence: absence)
  }

  mutating func remove(_ model: any PersistentModel) {
    absences[ObjectIdentifier(model)] = nil
  }

  mutating func removeAll() { absences.removeAll() }
}
