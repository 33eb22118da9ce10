/// The changes of one to-many relationship of a model.
///
/// The other end of a relationship changes more often than the list is read, so additions and removals are recorded
/// here and merged when the list is read.
package struct LinkChanges {
  package let property: Int
  /// The content of the list before the recorded changes; nil when it wasn't loaded.
  package var base: (any ErasedModelArray)?
  /// A copy of the list in the storage, for the next change in place, see ``_ModelState/spare(of:_:)``. The copy is out
  /// of date when its elements differ from those in the storage.
  var spare: (any ErasedModelArray)?
  private var addedModels = OrderedModels()
  /// The removed models themselves: the object identifier of a deallocated model may be reused for another one.
  private var removedModels = OrderedModels()
  /// For relationships with a join table: the models whose pairs the next save has to insert and to delete.
  package var unsavedAdded = OrderedModels()
  package var unsavedRemoved = OrderedModels()
  /// The saved models that came into the list of a new model by changes of their own. Without those changes, they don't
  /// belong there.
  var addedByThemselves = OrderedModels()
  /// Whether the relationship had no unsaved changes before those that are recorded here.
  var areAllChanges = false

  init(property: Int) { self.property = property }

  /// The added models in the order of their addition, each once.
  package var added: [any PersistentModel] { addedModels.models }
  /// The identities of the removed models.
  package var removed: Set<ObjectIdentifier> { removedModels.identities }
  /// Whether no model was added or removed since the list was as ``base`` or the store has it.
  var isUnchanged: Bool { addedModels.isEmpty && removedModels.isEmpty }

  mutating func add(_ model: any PersistentModel) {
    removedModels.remove(model)
    addedModels.insert(model)
  }

  /// Adds a model as ``add(_:)`` does, but behind all others, for ordered lists. A removed model stays recorded as
  /// removed, so that it comes back at the end.
  mutating func append(_ model: any PersistentModel) {
    addedModels.remove(model)
    addedModels.insert(model)
  }

  mutating func remove(_ model: any PersistentModel) {
    addedModels.remove(model)
    removedModels.insert(model)
    addedByThemselves.remove(model)
  }

  /// Forgets the addition of a model that was never saved, and so can't be in the stored list. It may be in ``base``.
  mutating func withdraw(_ model: any PersistentModel) {
    if !addedModels.remove(model), base != nil { removedModels.insert(model) }
    unsavedAdded.remove(model)
    addedByThemselves.remove(model)
  }

  /// Whether the relationship is as it was before its first unsaved change.
  var isUnchangedAgain: Bool {
    areAllChanges && isUnchanged && unsavedAdded.isEmpty && unsavedRemoved.isEmpty
  }

  /// Records pairs for the next save. The latest change of a pair counts. It is written regardless of what the store
  /// has: inserting an existing pair, or deleting a missing one, has no effect.
  mutating func recordUnsaved(added: [any PersistentModel], removed: [any PersistentModel]) {
    for model in removed {
      unsavedAdded.remove(model)
      unsavedRemoved.insert(model)
    }
    for model in added {
      unsavedRemoved.remove(model)
      unsavedAdded.insert(model)
    }
  }

  /// Clears the changes after they were merged into the list's storage.
  mutating func clearListChanges() {
    base = nil
    spare = nil
    areAllChanges = false
    addedModels.removeAll()
    removedModels.removeAll()
  }

  /// The number of models that the changes have examined so far.
  package var steps: Int { addedModels.steps + removedModels.steps }

  var isEmpty: Bool {
    base == nil && isUnchanged && unsavedAdded.isEmpty
      && unsavedRemoved.isEmpty && addedByThemselves.isEmpty
  }
}
