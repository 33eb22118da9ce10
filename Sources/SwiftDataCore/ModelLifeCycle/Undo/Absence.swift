/// What a model was when it went, for the case that undoing brings it back. The undo manager keeps it alive.
final class Absence {
  let model: any PersistentModel
  /// Whether the model went because its insertion was undone.
  let isUndoneInsertion: Bool
  /// Whether it had never been saved: what led to it has let go at once.
  let wasNew: Bool
  /// What its relationships led to, by their positions.
  let links: [(index: Int, models: [any PersistentModel])]
  /// Ends of relationships that had to let go of the model because its row is gone.
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

/// The absences that somebody may still undo, by model.
struct Absences {
  private struct Weak {
    weak var absence: Absence?
  }

  private var absences: [ObjectIdentifier: Weak] = [:]
  /// The size at which those that nobody can undo any more are looked for.
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
