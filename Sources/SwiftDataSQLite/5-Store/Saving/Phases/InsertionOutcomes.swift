import SwiftDataCore

/// The outcomes of a save's insertions. Most arrive in the order of the models, and need no lookup then.
struct InsertionOutcomes {
  private let models: [any PersistentModel]
  /// The outcomes of the first models, as long as they arrive in the order of the models.
  private var ordered: [WriteOutcome] = []
  /// The outcomes of models that met existing rows.
  private var matched: [ObjectIdentifier: WriteOutcome] = [:]

  /// - Parameter models: All inserted models of the save.
  init(of models: [any PersistentModel]) { self.models = models }

  /// Records the outcome of one model, which has its row ID by now.
  mutating func record(_ outcome: WriteOutcome, of model: any PersistentModel) {
    if !outcome.isInserted { matched[ObjectIdentifier(model)] = outcome }
    if ordered.count < models.count, models[ordered.count] === model { ordered.append(outcome) }
  }

  /// The outcomes of all models, in their order. To be read when all are written.
  var all: [WriteOutcome] {
    if ordered.count == models.count { return ordered }
    return models.map { model in
      // Most saves meet no existing rows, and looking up each model costs as much as encoding it.
      let matched = matched.isEmpty ? nil : matched[ObjectIdentifier(model)]
      return matched ?? .inserted(model._$modelState.rowID)
    }
  }
}
