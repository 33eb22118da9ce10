import Foundation

/// The models that one part of an app works with: it fetches them, tracks their changes and saves them.
///
/// A context belongs to one isolation (an actor, a task, a thread) and is used from there only.
public final class ModelContext: Equatable {
  let core: ContainerCore
  private let ownedContainer: ModelContainer?
  private weak var mainContainer: ModelContainer?
  let link: ContextLink
  // What changes these in place calls nobody, so it needs no check of exclusive access.
  @exclusivity(unchecked) var inserted = PendingModels()
  @exclusivity(unchecked) var changed = PendingModels()
  @exclusivity(unchecked) var deleted = PendingModels()
  /// Room for the models that a program makes and inserts one after the other.
  @exclusivity(unchecked) var room = HeapRoom()
  @exclusivity(unchecked) private var lastKeeping: CellKeeping?
  /// Deletions by predicate that the next save carries out.
  var batchDeletions: [any BatchDeletion] = []
  /// Why models that were handed to ``insert(_:)`` can't be saved; thrown by ``save()``.
  var refusedInsertions: [any Error] = []
  /// The classes of models that were deleted before they were ever saved, since the last save.
  var droppedClasses: [ObjectIdentifier: any PersistentModel.Type] = [:]
  /// What undoing can bring back.
  var absences = Absences()
  @exclusivity(unchecked) var isAutosaveScheduled = false
  /// When an automatic save is due that nobody but the context's user can carry out, in nanoseconds of `DispatchTime`.
  @exclusivity(unchecked) var autosaveTime: UInt64?
  /// Whether the last automatic save was refused and nothing was changed since.
  @exclusivity(unchecked) var isAutosaveRefused = false
  /// Whether ``transaction(block:)`` is at work.
  @exclusivity(unchecked) var isInTransaction = false
  /// How many operations are under way, one in the other, see ``beginOperation()``.
  @exclusivity(unchecked) var operations = 0
  /// How many of them read rows.
  @exclusivity(unchecked) var readings = 0
  /// How many there have been.
  @exclusivity(unchecked) var readingCount = 0
  /// What they have changed and no observer has been told of.
  @exclusivity(unchecked) var untold: [(model: any PersistentModel, property: Int)] = []
  /// Whether changes are to be rolled back when they are over.
  @exclusivity(unchecked) var isRollbackDue = false
  /// The saves under way, one in the other.
  @exclusivity(unchecked) var saves = SavesUnderWay()
  /// What is known of other contexts' and processes' changes.
  let merging: ContextMerging
  let isMain: Bool
  /// Finds uses outside the context's isolation; nil unless it was asked for.
  @exclusivity(unchecked) package var debugging = ConcurrencyDebugging.forNewContext()
  /// Whether models call this their context.
  private var isOwner = true

  /// What stores know of this context: an identity of its own, and the author of its changes.
  public var editingState = EditingState() {
    didSet {
      guard editingState.id != oldValue.id else { return }
      core.stores.forEach { $0.invalidateState(for: oldValue) }
      core.stores.forEach { $0.initializeState(for: editingState) }
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
    didSet { noteRecording() }
  }

  /// What a save does when somebody else has changed the rows of edited models since these were read: by default
  /// properties that were edited here win, one by one, and rows that were deleted stay so. The counterpart of Core
  /// Data's `mergePolicy`, an addition to Apple's interface.
  public var mergePolicy = MergePolicy.deletionTrump

  /// Whether models without changes of their own follow what others commit: other contexts, containers, processes,
  /// and tools that write the file. True at first; the counterpart of Core Data's
  /// `automaticallyMergesChangesFromParent`, an addition to Apple's interface.
  ///
  /// The main context follows on the main actor, the context of a model actor on its executor. No other context can
  /// be entered from outside, so it catches up at its next fetch, save or ``processPendingChanges()``. Observers hear
  /// of the properties that differ; models whose rows are gone become deleted ones.
  ///
  /// When false, ``mergeChanges(from:)-(DefaultHistoryTransaction)`` and fetches bring newer values.
  public var mergesChangesAutomatically: Bool {
    get { merging.isAutomatic }
    set {
      merging.isAutomatic = newValue
      newValue ? resumeFollowing() : merging.pause()
    }
  }

  /// Whether the context saves by itself. True for a container's main context, else false, as Apple documents it.
  ///
  /// The main context saves on the main actor 0.1 seconds after the first unsaved change, the context of a model actor
  /// likewise on its executor. Any other context saves in the next turn of the main run loop after a change on the
  /// main thread. No other thread can be entered from outside: there a context saves when it fetches, inserts,
  /// deletes or processes pending changes 0.1 seconds after the first unsaved change or later. Every context with this
  /// flag saves when it is released, and none saves within ``transaction(block:)``. Where the exact moment matters,
  /// call ``save()``. A failed automatic save keeps the changes and is reported to ``SwiftDataLog``; the next change,
  /// whatever it is, schedules another one.
  ///
  /// A context with this flag stays where it was changed: one that saves on the main thread can't be sent elsewhere.
  @exclusivity(unchecked) public var autosaveEnabled = false {
    didSet {
      if !autosaveEnabled, autosaveTime != nil {
        autosaveTime = nil
        isAutosaveScheduled = false
      }
      if autosaveEnabled, hasChanges { scheduleAutosave() }
    }
  }

  /// Makes a context of its own on the container's stores. It keeps the container alive.
  public init(_ container: ModelContainer) {
    core = container.core
    ownedContainer = container
    link = ContextLink(core: core)
    merging = ContextMerging(core)
    isMain = false
    link.context = self
    core.stores.forEach { $0.initializeState(for: editingState) }
  }

  /// A context that reads for models whose own is gone, see ``ContextLink/loader``.
  init(loadingFor link: ContextLink, _ core: ContainerCore) {
    self.core = core
    ownedContainer = nil
    self.link = link
    merging = ContextMerging(core)
    merging.isAutomatic = false
    isMain = false
    isOwner = false
  }

  init(core: ContainerCore, main container: ModelContainer) {
    self.core = core
    ownedContainer = nil
    mainContainer = container
    link = ContextLink(core: core)
    merging = ContextMerging(core)
    isMain = true
    link.context = self
    core.stores.forEach { $0.initializeState(for: editingState) }
    followCommitsOnMainActor()
  }

  deinit {
    // Not when the models had outlived their context already, and this one only read for them.
    guard isOwner else { return }
    // The last reference may go anywhere.
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
    for rows in link.identityRows.values { rows.breakCycles() }
    // What was never saved has nothing to read from the stores, and mustn't keep them open.
    for model in inserted.models {
      model._$modelState.flags = []
      model._$modelState.link = nil
    }
    for store in core.stores { store.invalidateState(for: editingState) }
  }

  /// The container whose stores the context works on.
  public var container: ModelContainer {
    ownedContainer ?? mainContainer ?? ModelContainer(core: core)
  }

  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

  // MARK: Pending changes

  /// Whether there is anything to save.
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

  /// Work of a toolkit for the transactions of saves that change models.
  package var saveCompanion: (any SaveCompanion)?

  /// Called by a model before its first change since the last save, and before every further property's.
  func noteChange(of model: any PersistentModel, _ state: _ModelState) {
    if let debugging { debugging.check(self) }
    guard state.flags.isDisjoint(with: [.inserted, .deleted, .gone]) else { return }
    changed.insert(model, state)
    scheduleAutosave()
  }

  /// Called by a pending model before a property's first change since the last save.
  func noteFirstChange(of model: any PersistentModel, _ state: _ModelState, at property: Int) {
    if state.flags.contains(.inserted) {
      inserted.noteChange(of: model, state, at: property)
    } else {
      changed.noteChange(of: model, state, at: property)
    }
  }

  /// What keeps values of a class's models before they change: most edits are of one class after the other.
  func keeping(_ plan: EntityPlan) -> CellKeeping {
    if let lastKeeping, lastKeeping.plan === plan { return lastKeeping }
    let made = CellKeeping(plan)
    lastKeeping = made
    return made
  }

  func identityMap(for type: any PersistentModel.Type) throws -> IdentityMap {
    if let map = link.identityMap(for: type) { return map }
    let entry = try core.entry(for: type)
    let map = IdentityMap(entry, link.rows(of: entry.plan))
    link.keep(map, for: type)
    return map
  }

  /// The instance for a row, if there is one.
  func registeredModel(
    _ rowID: Int64, of type: any PersistentModel.Type
  ) -> (any PersistentModel)? {
    core.plan(of: type).flatMap { link.identityRows[$0.table]?[rowID] } as? any PersistentModel
  }

  /// Forgets the row of a model, after a deletion.
  func forget(_ model: any PersistentModel) {
    guard let plan = model._$modelState.plan else { return }
    link.rows(of: plan).depart(model._$modelState.rowID)
  }
}

@available(*, unavailable, message: "contexts cannot be shared across concurrency contexts")
extension ModelContext: @unchecked Sendable {}

extension ModelContext: CustomDebugStringConvertible {
  public var debugDescription: String {
    "ModelContext(inserted: \(inserted.count), changed: \(changed.count), deleted: \(deleted.count))"
  }
}
