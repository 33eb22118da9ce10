/// The places of a context's inserted models whose temporary identifiers have been requested, by number: looking up one
/// of many models shouldn't walk past all of them.
struct TemporaryIdentifierIndex {
  /// Valid until the inserted models are compacted; then the places of all models are determined again.
  private var positions: [UInt64: Int32] = [:]
  private var epoch = 0
  /// The size at which the entries of models that were saved or dropped are removed.
  private var nextSweep = 1024

  mutating func record(_ number: UInt64, at place: Int32, among inserted: PendingModels?) {
    positions[number] = place
    guard positions.count >= nextSweep else { return }
    if let inserted, epoch != inserted.epoch { arrange(inserted) }
    nextSweep = max(1024, positions.count * 2)
  }

  private mutating func arrange(_ inserted: PendingModels) {
    positions.removeAll()
    for model in inserted.models {
      let state = model._$modelState
      guard case .temporary(let number)? = state.temporary?.key else { continue }
      positions[number] = state.pendingPosition
    }
    epoch = inserted.epoch
  }

  mutating func model(
    with identifier: PersistentIdentifier, among inserted: PendingModels
  ) -> (any PersistentModel)? {
    guard case .temporary(let number) = identifier.key else { return nil }
    if epoch != inserted.epoch { arrange(inserted) }
    guard let place = positions[number], let model = inserted[place],
      model._$modelState.temporary == identifier
    else { return nil }
    return model
  }
}
