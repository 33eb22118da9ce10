import Foundation

/// A context for the models of one part of an app: it fetches them, tracks their changes and saves them.
///
/// A context belongs to one isolation (an actor, a task, a thread) and is used from there only.
public final class ModelContext: Equatable {
  let core: ContainerCore
  private let origin: ContextOrigin
  let link: ContextLink
  /// The changes that wait for a save. They, and the parts below, are changed in place by code that doesn't come back
  /// to them, so they need no check of exclusive access.
  @exclusivity(unchecked) var pending = PendingChanges()
  /// The operations under way, and the notifications that wait for their end.
  @exclusivity(unchecked) var operations = ContextOperations()
  /// Whether and when the context saves by itself.
  @exclusivity(unchecked) var autosave = AutosaveTiming()
  /// The saves under way, nested in each other.
  @exclusivity(unchecked) var saves = ActiveSaves()
  /// The owners of lists that nothing else may hold.
  @exclusivity(unchecked) var recentOwners = RecentOwners()
  /// The undo manager, and what undoing needs to know.
  let undo = UndoRecorder()
  /// The state of merging the changes of other contexts and processes.
  let merging: ContextMerger
  /// Finds uses outside the context's isolation; nil unless enabled.
  @exclusivity(unchecked) package var debugging = ConcurrencyDebugging.forNewContext()

  /// The identity under which stores know this context, and the author of its changes.
  public var editingState = EditingState() {
    didSet {
      guard editingState.id != oldValue.id else { return }
      core.capabilities.forEach { $0.editingStates?.invalidateState(for: oldValue) }
      core.capabilities.forEach { $0.editingStates?.initializeState(for: editingState) }
    }
  }

  /// The name that is written into the history with every save of this context.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }

  /// Records how to undo insertions, deletions and changes of the context's models; nil records nothing.
  ///
  /// Changes are grouped as ``UndoManager`` groups them. A group that opened by itself ends at
  /// ``processPendingChanges()``, at ``save()`` and at the next undo. ``rollback()`` empties the manager.
  public var undoManager: UndoManager? {
    get { undo.manager }
    set {
      undo.manager = newValue
      updateRecording()
    }
  }

  /// The way a save resolves conflicts with rows that others have changed since the edited models were read. By
  /// default, properties that were edited here win, one by one, and rows that were deleted stay deleted. The
  /// counterpart of Core Data's `mergePolicy`, an addition to Apple's interface.
  public var mergePolicy = MergePolicy.deletionTrump

  /// Whether models without changes of their own follow the commits of other contexts, containers, processes, and tools
  /// that write the file. True by default; the counterpart of Core Data's `automaticallyMergesChangesFromParent`, an
  /// addition to Apple's interface.
  ///
  /// The main context follows on the main actor, the context of a model actor on its executor. No other context can be
  /// entered from outside, so it catches up at its next fetch, save or ``processPendingChanges()``. Observers are
  /// notified of the properties that differ; models whose rows are gone become deleted ones.
  ///
  /// When false, ``mergeChanges(from:)-(DefaultHistoryTransaction)`` and fetches bring newer values.
  public var mergesChangesAutomatically: Bool {
    get { merging.isAutomatic }
    set {
      merging.isAutomatic = newValue
      newValue ? resumeFollowing() : merging.pause()
    }
  }

  /// Whether the context saves by itself. True for a container's main context, otherwise false, as Apple documents it.
  ///
  /// The main context saves on the main actor 0.1 seconds after the first unsaved change, and the context of a model
  /// actor does so on its executor. Any other context saves in the next turn of the main run loop after a change on the
  /// main thread. No other thread can be entered from outside: there a context saves when it fetches, inserts, deletes
  /// or processes pending changes 0.1 seconds after the first unsaved change or later. Every context with this flag
  /// saves when it is released, and none saves within ``transaction(block:)``. Where the exact moment matters, call
  /// ``save()``. A failed automatic save keeps the changes and is reported to ``SwiftDataLog``; the next change of any
  /// kind schedules another one.
  ///
  /// A context with this flag stays on the thread where it was changed: one that saves on the main thread can't be sent
  /// to another.
  public var autosaveEnabled: Bool {
    get { autosave.isEnabled }
    set {
      autosave.enable(newValue)
      if newValue, hasChanges { scheduleAutosave() }
    }
  }

  /// Creates a separate context on the container's stores. It keeps the container alive.
  public init(_ container: ModelContainer) {
    core = container.core
    origin = .container(container)
    link = ContextLink(core: core)
    merging = ContextMerger(core)
    link.context = self
    core.capabilities.forEach { $0.editingStates?.initializeState(for: editingState) }
  }

  /// Creates a context that reads for models whose own context is gone, see ``ContextLink/loader``.
  init(loadingFor link: ContextLink, _ core: ContainerCore) {
    self.core = core
    origin = .link
    self.link = link
    merging = ContextMerger(core)
    merging.isAutomatic = false
  }

  init(core: ContainerCore, main container: ModelContainer) {
    self.core = core
    origin = .main(ContextOrigin.Weak(container: container))
    link = ContextLink(core: core)
    merging = ContextMerger(core)
    link.context = self
    core.capabilities.forEach { $0.editingStates?.initializeState(for: editingState) }
    followCommitsOnMainActor()
  }

  deinit {
    // A context that only reads for models that outlived their own context has nothing to save or release.
    guard origin.isOwner else { return }
    // The last reference may be released on any thread.
    debugging = nil
    if autosaveEnabled, hasChanges {
      do {
        var saved = SavedIdentifiers()
        try writeChanges(into: &saved)
      } catch {
        SwiftDataLog.report(
          .error, "ModelContext", "the last automatic save failed", error)
      }
    }
    for rows in link.rowIDMaps.values { rows.breakCycles() }
    // Models that were never saved have nothing to read from the stores, and mustn't keep them open.
    dismiss(pending.inserted.models)
    for store in core.capabilities { store.editingStates?.invalidateState(for: editingState) }
    HandWrittenStates.contextEnded(isLast: origin.container == nil)
  }

  /// The container whose stores the context works on.
  public var container: ModelContainer {
    origin.container ?? ModelContainer(core: core)
  }

  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

  // MARK: Pending changes

  /// Whether there are unsaved changes.
  public var hasChanges: Bool { !pending.isEmpty }

  /// Models inserted since the last save, oldest first.
  public var insertedModelsArray: [any PersistentModel] { pending.inserted.models }
  /// Saved models that were changed since the last save, oldest first.
  public var changedModelsArray: [any PersistentModel] {
    let changed = pending.changed.models
    return pending.lostEdits.isEmpty ? changed : changed + pending.lostEdits.models
  }
  /// Models deleted since the last save, oldest first.
  public var deletedModelsArray: [any PersistentModel] { pending.deleted.models }

  /// Additional work of a toolkit in the transactions of saves that change models.
  package var saveCompanion: SaveCompanion? {
    get { saves.companion }
    set { saves.companion = newValue }
  }

  /// Whether the context is a container's main one.
  var isMain: Bool { origin.isMain }

  /// Called by a model before its first change since the last save, and before the first change of every further
  /// property.
  func registerChange(of model: any PersistentModel, _ state: _ModelState) {
    if let debugging { debugging.check(self) }
    guard state.flags.isDisjoint(with: [.inserted, .deleted, .rowDeleted]) else {
      // A model is in one of the lists only.
      if state.wasFoundGone, !pending.outdatesRow(of: model, state) {
        registerLostEdit(of: model, state)
      }
      return
    }
    pending.changed.insert(model, state)
    scheduleAutosave()
  }

  // MARK: Undo

  /// Whether effects are being recorded.
  var recordsUndo: Bool { link.isRecording && undo.isEnabled }

  /// Updates whether setters report a change before they make it.
  func updateRecording() {
    link.isRecording = undo.manager != nil || saves.isWriting || autosave.isRefused
  }

  /// Whether effects on a model can be undone: it is in this context, and its row isn't gone.
  func canUndo(on model: any PersistentModel) -> Bool {
    let state = model._$modelState
    return state.link === link && !state.flags.contains(.rowDeleted)
  }

  /// Called by setters before a change, while edits are reported. Relationships are recorded when they have changed.
  func recordChange<Model: PersistentModel>(of model: Model, at index: Int) {
    if !model._$modelState.flags.contains(.filling) { retryAutosave() }
    saves.recordEdit(of: model, at: index)
    if recordsUndo { undo.recordChange(of: model, at: index, in: self) }
  }

  // MARK: Registration

  /// Called by a pending model before a property's first change since the last save.
  func registerFirstChange(of model: any PersistentModel, _ state: _ModelState, at property: Int) {
    pending.recordFirstChange(of: model, state, at: property)
  }

  /// Returns the object that records values of a class's models before they change.
  func cellEncoder(_ plan: EntityPlan) -> CommittedCellEncoder { pending.cellEncoder(plan) }

  func identityMap(for type: any PersistentModel.Type) throws -> IdentityMap {
    if let map = link.identityMap(for: type) { return map }
    let entry = try core.entry(for: type)
    let map = IdentityMap(entry, link.rows(of: entry.plan))
    link.keep(map, for: type)
    return map
  }

  /// Returns the instance for a row, if there is one.
  func registeredModel(
    _ rowID: Int64, of type: any PersistentModel.Type
  ) -> (any PersistentModel)? {
    core.plan(of: type).flatMap { link.rowIDMaps[$0.table]?[rowID] } as? any PersistentModel
  }

  /// Removes the row of a model from the registered ones after a deletion.
  func forget(_ model: any PersistentModel) {
    guard let plan = model._$modelState.plan else { return }
    link.rows(of: plan).remove(model._$modelState.rowID)
  }
}

@available(*, unavailable, message: "contexts cannot be shared across concurrency contexts")
extension ModelContext: @unchecked Sendable {}

extension ModelContext: CustomDebugStringConvertible {
  public var debugDescription: String {
    "ModelContext(inserted: \(pending.inserted.count), changed: \(pending.changed.count),"
      + " deleted: \(pending.deleted.count))"
  }
}
