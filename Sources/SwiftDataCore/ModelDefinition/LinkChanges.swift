/// What happened to one to-many relationship of a model.
///
/// The other end of a relationship changes more often than the list is read, so additions and removals are noted
/// here and merged when the list is asked for.
package struct LinkChanges {
  package let property: Int
  /// What the list held before the noted changes; nil when it wasn't loaded.
  package var base: (any ModelList)?
  /// A copy of the list that the storage holds, for the next change in place, see ``_ModelState/spare(of:_:)``. Out of date
  /// when its elements aren't those of the storage.
  var spare: (any ModelList)?
  private var addedModels = OrderedModels()
  /// The removed models themselves: the identifier of one that is gone may become another's.
  private var removedModels = OrderedModels()
  /// For relationships with a table of pairs: what has to be written and what has to be removed at the next save.
  package var unsavedAdded = OrderedModels()
  package var unsavedRemoved = OrderedModels()

  init(property: Int) { self.property = property }

  /// What came, in that order, each once.
  package var added: [any PersistentModel] { addedModels.models }
  /// What went, as its identities.
  package var removed: Set<ObjectIdentifier> { removedModels.identities }
  /// Whether nothing came or went since the list was what ``base`` or the store says.
  var isUnchanged: Bool { addedModels.isEmpty && removedModels.isEmpty }

  mutating func add(_ model: any PersistentModel) {
    removedModels.remove(model)
    addedModels.insert(model)
  }

  /// As ``add(_:)``, and behind all others: for lists with an order. A model that had left comes back at the end.
  mutating func append(_ model: any PersistentModel) {
    addedModels.remove(model)
    addedModels.insert(model)
  }

  mutating func remove(_ model: any PersistentModel) {
    addedModels.remove(model)
    removedModels.insert(model)
  }

  /// The last word on a pair counts. It is written whatever the store has: writing a pair that is there, or removing
  /// one that isn't, does nothing.
  mutating func noteUnsaved(added: [any PersistentModel], removed: [any PersistentModel]) {
    for model in removed {
      unsavedAdded.remove(model)
      unsavedRemoved.insert(model)
    }
    for model in added {
      unsavedRemoved.remove(model)
      unsavedAdded.insert(model)
    }
  }

  /// The changes are in the list's storage now.
  mutating func settleList() {
    base = nil
    spare = nil
    addedModels.removeAll()
    removedModels.removeAll()
  }

  /// How many models the changes have looked at so far.
  package var steps: Int { addedModels.steps + removedModels.steps }

  var isEmpty: Bool {
    base == nil && isUnchanged && unsavedAdded.isEmpty
      && unsavedRemoved.isEmpty
  }
}

/// The rows that one fetch returned: touching a relationship of one model loads it for its neighbours too.
@usableFromInline
package final class FetchGroup {
  package static let batch = 256
  package let plan: EntityPlan
  // Each access is one load or one appending.
  @exclusivity(unchecked) package private(set) var rowIDs: [Int64] = []

  init(_ plan: EntityPlan) { self.plan = plan }

  func append(_ state: _ModelState, _ rowID: Int64) {
    // Several owners may lead to one row; loading a list twice would lose its pending changes.
    if let group = state.fields.pointee.group,
      group.toOpaque() == Unmanaged.passUnretained(self).toOpaque()
    {
      return
    }
    state.group = self
    state.groupPosition = Int32(clamping: rowIDs.count)
    rowIDs.append(rowID)
  }
}
