/// The changes of a context that wait for a save.
///
/// Its methods call no code of stores, and of models they only read and compare values, so that a context may change it
/// in place without a check of exclusive access.
struct PendingChanges {
  /// Models inserted since the last save.
  var inserted = PendingModels()
  /// Saved models that were changed since the last save.
  var changed = PendingModels()
  /// Saved models that were deleted since the last save.
  var deleted = PendingModels()
  /// Changed models that were fetched in parts, and whose rows were missing when the other parts were to be read. Their
  /// rows can't be restored.
  var lostEdits = PendingModels()
  /// The links that the deletions of saved models have removed at their other ends, by deleted model.
  private(set) var detachedEnds: [ObjectIdentifier: [DetachedEnd]] = [:]
  /// Deletions by predicate that the next save carries out.
  var batchDeletions: [any BatchDeletion] = []
  /// The reasons why models that were passed to ``ModelContext/insert(_:)`` can't be saved; thrown by
  /// ``ModelContext/save()``.
  var refusedInsertions: [any Error] = []
  /// The classes of models that were deleted before they were ever saved, since the last save.
  private(set) var droppedClasses: [ObjectIdentifier: any PersistentModel.Type] = [:]
  /// Heap space for the models that a program creates and inserts one after another.
  var heapReservation = HeapReservation()
  private var lastCellEncoder: CommittedCellEncoder?

  /// Whether there is nothing to save.
  @inline(__always)
  var isEmpty: Bool {
    !hasModels && refusedInsertions.isEmpty && batchDeletions.isEmpty && lostEdits.isEmpty
  }

  /// Whether models are inserted, changed or deleted.
  @inline(__always)
  var hasModels: Bool { !(inserted.isEmpty && changed.isEmpty && deleted.isEmpty) }

  // MARK: Changes

  /// Records that a property of a pending model changes for the first time since the last save.
  mutating func recordFirstChange(
    of model: any PersistentModel, _ state: _ModelState, at property: Int
  ) {
    if state.flags.contains(.inserted) {
      inserted.recordChange(of: model, state, at: property)
    } else {
      changed.recordChange(of: model, state, at: property)
    }
  }

  /// Returns the object that records values of a class's models before they change. The last one is reused, because
  /// consecutive edits are mostly of one class.
  mutating func cellEncoder(_ plan: EntityPlan) -> CommittedCellEncoder {
    if let lastCellEncoder, lastCellEncoder.plan === plan { return lastCellEncoder }
    let made = CommittedCellEncoder(plan)
    lastCellEncoder = made
    return made
  }

  /// Removes an inserted model that was deleted before it was saved.
  ///
  /// - Returns: False when the model wasn't inserted since the last save.
  mutating func drop(_ model: any PersistentModel) -> Bool {
    guard inserted.remove(model) else { return false }
    droppedClasses[ObjectIdentifier(type(of: model))] = type(of: model)
    return true
  }

  // MARK: Deletions

  /// Records a saved model that is about to be deleted, with the ends of its relationships that have lost it.
  mutating func recordDeletion(of model: any PersistentModel, _ ends: [DetachedEnd]) {
    deleted.insert(model)
    if !ends.isEmpty { detachedEnds[ObjectIdentifier(model), default: []] += ends }
  }

  /// Removes models whose deletion was saved.
  mutating func forgetDeletions(of models: [any PersistentModel]) {
    deleted.remove(models)
    guard !detachedEnds.isEmpty else { return }
    for model in models { detachedEnds[ObjectIdentifier(model)] = nil }
  }

  /// Removes a model whose deletion was taken back.
  ///
  /// - Returns: The ends of relationships that had lost it.
  mutating func takeBackDeletion(of model: any PersistentModel) -> [DetachedEnd] {
    deleted.remove(model)
    return detachedEnds.removeValue(forKey: ObjectIdentifier(model)) ?? []
  }

  mutating func forgetDroppedClasses() { droppedClasses.removeAll() }

  /// Removes everything but the changed models. Deleted models with changes are among these again.
  ///
  /// - Returns: The models that were inserted and those that were deleted.
  mutating func cancelInsertionsAndDeletions() -> (
    inserted: [any PersistentModel], deleted: [any PersistentModel]
  ) {
    let models = (inserted: inserted.models, deleted: deleted.models)
    refusedInsertions = []
    batchDeletions = []
    droppedClasses = [:]
    inserted.removeAll()
    deleted.removeAll()
    detachedEnds = [:]
    for model in models.deleted where !model._$modelState.changes.isEmpty {
      changed.insert(model)
    }
    return models
  }

  // MARK: Models of a class

  /// The number of models that queries for classes and values have examined so far.
  var steps: Int { inserted.steps + changed.steps + deleted.steps }

  /// Whether there is a model of a class or one of its subclasses.
  mutating func hasModels<T: PersistentModel>(of type: T.Type) -> Bool {
    guard hasModels else { return false }
    return inserted.hasModels(of: type) || changed.hasModels(of: type)
      || deleted.hasModels(of: type)
  }

  /// Returns the types of the models, and their superclasses: a relationship to one of those may lead to them.
  mutating func types() -> Set<ObjectIdentifier> {
    var found: Set<ObjectIdentifier> = []
    for type in inserted.types() + changed.types() + deleted.types() {
      var next: (any PersistentModel.Type)? = type
      while let type = next, found.insert(ObjectIdentifier(type)).inserted {
        next = ModelInheritance.superclass(of: type)
      }
    }
    return found
  }

  /// Returns the inserted and changed models of a class and its subclasses, each in the order in which they were added.
  ///
  /// - Parameter key: Excludes models that certainly have a different value than this one.
  mutating func models<T: PersistentModel>(of type: T.Type, with key: PendingKey? = nil) -> [T] {
    inserted.models(of: type, with: key) + changed.models(of: type, with: key)
  }

  /// Whether a model is changed or deleted, so that its row is outdated.
  @inline(__always)
  func outdatesRow(of model: any PersistentModel, _ state: _ModelState) -> Bool {
    changed.contains(model, state) || deleted.contains(model, state)
  }

  /// Returns the outdated rows of a class and its subclasses.
  mutating func outdatedRows<T: PersistentModel>(of type: T.Type) -> [Int64] {
    (changed.models(of: type) + deleted.models(of: type)).map(\._$modelState.rowID)
      .filter { $0 != 0 }
  }

  /// Returns the number of models of a class and its subclasses.
  func count<T: PersistentModel>(of type: T.Type) -> Int {
    [inserted, changed, deleted].reduce(0) { $0 + $1.models.count { $0 is T } }
  }
}
