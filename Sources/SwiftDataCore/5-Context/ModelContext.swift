import Foundation

/// A context for the models of one part of an app: it fetches them, tracks their changes and saves them.
///
/// A context belongs to one isolation (an actor, a task, a thread) and is used from there only.
public final class ModelContext: Equatable {
  let core: ContainerCore
  private let ownedContainer: ModelContainer?
  private weak var mainContainer: ModelContainer?
  let link: ContextLink
  // Code that changes these in place calls no other code, so it needs no check of exclusive access.
  @exclusivity(unchecked) var inserted = PendingModels()
  @exclusivity(unchecked) var changed = PendingModels()
  @exclusivity(unchecked) var deleted = PendingModels()
  /// Heap space for the models that a program creates and inserts one after another.
  @exclusivity(unchecked) var heapReservation = HeapReservation()
  @exclusivity(unchecked) private var lastCellEncoder: CommittedCellEncoder?
  /// Deletions by predicate that the next save carries out.
  var batchDeletions: [any BatchDeletion] = []
  /// The reasons why models that were passed to ``insert(_:)`` can't be saved; thrown by ``save()``.
  var refusedInsertions: [any Error] = []
  /// The classes of models that were deleted before they were ever saved, since the last save.
  var droppedClasses: [ObjectIdentifier: any PersistentModel.Type] = [:]
  /// The deleted models that undoing can bring back.
  var removedModelStates = RemovedModelStates()
  @exclusivity(unchecked) var isAutosaveScheduled = false
  /// The time at which an automatic save is due that must wait for the next use of the context, in nanoseconds of
  /// `DispatchTime`.
  @exclusivity(unchecked) var autosaveTime: UInt64?
  /// Whether the last automatic save was refused and nothing has changed since.
  @exclusivity(unchecked) var isAutosaveRefused = false
  /// Whether ``transaction(block:)`` is running.
  @exclusivity(unchecked) var isInTransaction = false
  /// The number of operations under way, nested in each other; see ``beginOperation()``.
  @exclusivity(unchecked) var operations = 0
  /// The number of reads of rows under way, nested in each other; see ``beginReading()``.
  @exclusivity(unchecked) var readings = 0
  /// The number of reads of rows that have begun so far.
  @exclusivity(unchecked) var readingCount = 0
  /// The changes by operations under way that observers haven't been notified of yet.
  @exclusivity(unchecked) var pendingNotifications: [(model: any PersistentModel, property: Int)] =
    []
  /// Whether changes are to be rolled back when the outermost operation ends.
  @exclusivity(unchecked) var isRollbackDue = false
  /// The saves under way, nested in each other.
  @exclusivity(unchecked) var saves = ActiveSaves()
  /// The state of merging the changes of other contexts and processes.
  let merging: ContextMerger
  let isMain: Bool
  /// Finds uses outside the context's isolation; nil unless enabled.
  @exclusivity(unchecked) package var debugging = ConcurrencyDebugging.forNewContext()
  /// Whether models refer to this context as their own.
  private var isOwner = true

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
    didSet { updateRecording() }
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
  @exclusivity(unchecked) public var autosaveEnabled = false {
    didSet {
      if !autosaveEnabled, autosaveTime != nil {
        autosaveTime = nil
        isAutosaveScheduled = false
      }
      if autosaveEnabled, hasChanges { scheduleAutosave() }
    }
  }

  /// Creates a separate context on the container's stores. It keeps the container alive.
  public init(_ container: ModelContainer) {
    core = container.core
    ownedContainer = container
    link = ContextLink(core: core)
    merging = ContextMerger(core)
    isMain = false
    link.context = self
    core.capabilities.forEach { $0.editingStates?.initializeState(for: editingState) }
  }

  /// Creates a context that reads for models whose own context is gone, see ``ContextLink/loader``.
  init(loadingFor link: ContextLink, _ core: ContainerCore) {
    self.core = core
    ownedContainer = nil
    self.link = link
    merging = ContextMerger(core)
    merging.isAutomatic = false
    isMain = false
    isOwner = false
  }

  init(core: ContainerCore, main container: ModelContainer) {
    self.core = core
    ownedContainer = nil
    mainContainer = container
    link = ContextLink(core: core)
    merging = ContextMerger(core)
    isMain = true
    link.context = self
    core.capabilities.forEach { $0.editingStates?.initializeState(for: editingState) }
    followCommitsOnMainActor()
  }

  deinit {
    // A context that only reads for models that outlived their own context has nothing to save or release.
    guard isOwner else { return }
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
    for model in inserted.models {
      model._$modelState.flags = []
      model._$modelState.link = nil
    }
    for store in core.capabilities { store.editingStates?.invalidateState(for: editingState) }
  }

  /// The container whose stores the context works on.
  public var container: ModelContainer {
    ownedContainer ?? mainContainer ?? ModelContainer(core: core)
  }

  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

  // MARK: Pending changes

  /// Whether there are unsaved changes.
  public var hasChanges: Bool {
    !(inserted.isEmpty && changed.isEmpty && deleted.isEmpty && refusedInsertions.isEmpty
      && batchDeletions.isEmpty)
  }

  /// Models inserted since the last save, oldest first.
  public var insertedModelsArray: [any PersistentModel] { inserted.models }
  /// Saved models that were changed since the last save, oldest first.
  public var changedModelsArray: [any PersistentModel] { changed.models }
  /// Models deleted since the last save, oldest first.
  public var deletedModelsArray: [any PersistentModel] { deleted.models }

  /// Additional work of a toolkit in the transactions of saves that change models.
  package var saveCompanion: (any SaveCompanion)?

  /// Called by a model before its first change since the last save, and before the first change of every further
  /// property.
  func registerChange(of model: any PersistentModel, _ state: _ModelState) {
    if let debugging { debugging.check(self) }
    guard state.flags.isDisjoint(with: [.inserted, .deleted, .rowDeleted]) else { return }
    changed.insert(model, state)
    scheduleAutosave()
  }

  /// Called by a pending model before a property's first change since the last save.
  func registerFirstChange(of model: any PersistentModel, _ state: _ModelState, at property: Int) {
    if state.flags.contains(.inserted) {
      inserted.recordChange(of: model, state, at: property)
    } else {
      changed.recordChange(of: model, state, at: property)
    }
  }

  /// Returns the object that records values of a class's models before they change. The last one is reused, because
  /// consecutive edits are mostly of one class.
  func cellEncoder(_ plan: EntityPlan) -> CommittedCellEncoder {
    if let lastCellEncoder, lastCellEncoder.plan === plan { return lastCellEncoder }
    let made = CommittedCellEncoder(plan)
    lastCellEncoder = made
    return made
  }

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
    "ModelContext(inserted: \(inserted.count), changed: \(changed.count), deleted: \(deleted.count))"
  }
}
