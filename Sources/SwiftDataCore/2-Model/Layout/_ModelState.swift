import Synchronization

/// The handle of one model object: its row, its context, its changes since the last commit, and its observers.
///
/// Models are confined to their context's isolation, and so is their state. The fields of the state are in the model
/// itself, see ``_ModelCore``, and the handle keeps the model alive. The properties have no check of exclusive access
/// at run time, which would cost more than everything else in reading a property: each access is one load or store, or
/// a change by code of this module that calls no other code, so no two of them can overlap. Only ``linkChanges``, which
/// closures change in place, has the check.
public struct _ModelState {
  @usableFromInline
  package struct Flags: OptionSet, Sendable {
    @usableFromInline
    package let rawValue: UInt8
    @inlinable
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Inserted into the context and not saved yet.
    package static let inserted = Flags(rawValue: 1)
    /// Deleted in the context and not saved yet.
    package static let deleted = Flags(rawValue: 2)
    /// The model's row no longer exists.
    package static let rowDeleted = Flags(rawValue: 4)
    /// The model is among the context's changed models.
    package static let changed = Flags(rawValue: 8)
    /// The insertion found an existing row, see `ModelContext.save()`: undoing the insertion leaves the row.
    package static let matchedExistingRow = Flags(rawValue: 16)
    /// The model's row is about to be written, together with others.
    package static let buffered = Flags(rawValue: 32)
    /// Another instance represents the row, see ``original``.
    package static let alias = Flags(rawValue: 64)
    /// The row is being written into the model through the model's own setters: none of these assignments is a change.
    package static let filling = Flags(rawValue: 128)
  }

  /// The object that contains the fields: the model or, when it has no room for them, a separate object.
  @usableFromInline let owner: AnyObject
  @usableFromInline let fields: UnsafeMutablePointer<ModelFields>

  @inlinable
  init(owner: AnyObject, fields: UnsafeMutablePointer<ModelFields>) {
    self.owner = owner
    self.fields = fields
  }

  /// Makes a state in a separate object, for a model without a ``_ModelCore``.
  public init() {
    let apart = SeparateModelState()
    self = apart.core.state(of: apart)
  }

  private final class SeparateModelState {
    let core = _ModelCore()
  }

  /// The row id in the store; 0 before the first save.
  @inlinable
  package var rowID: Int64 {
    get { fields.pointee.rowID }
    nonmutating set {
      if fields.pointee.rows != nil, newValue != rowID { fields.pointee.unregister() }
      fields.pointee.rowID = newValue
    }
  }

  @inlinable
  package var plan: EntityPlan? {
    get { fields.pointee.plan?.takeUnretainedValue() }
    nonmutating set { fields.pointee.setPlan(newValue) }
  }

  @inlinable
  package var flags: Flags {
    get { fields.pointee.flags }
    nonmutating set { fields.pointee.flags = newValue }
  }

  /// The model's position among those that were fetched with it.
  package var groupPosition: Int32 {
    get { fields.pointee.groupPosition }
    nonmutating set { fields.pointee.groupPosition = newValue }
  }

  /// The model's position among the context's pending models, see ``PendingModels``.
  var pendingPosition: Int32 {
    get { fields.pointee.pendingPosition }
    nonmutating set { fields.pointee.pendingPosition = newValue }
  }

  @inlinable
  package var changes: ChangeMask {
    get { fields.pointee.changes }
    nonmutating set { fields.pointee.changes = newValue }
  }

  /// The commit of the store after which the values were read.
  @inlinable
  package var generation: UInt64 {
    get { fields.pointee.generation }
    nonmutating set { fields.pointee.generation = newValue }
  }

  /// The models that were fetched together with this one.
  package var group: FetchGroup? {
    get { fields.pointee.group?.takeUnretainedValue() }
    nonmutating set {
      let old = fields.pointee.group
      fields.pointee.group = newValue.map { .passRetained($0) }
      old?.release()
    }
  }

  /// The instance that represents the row in place of this one: reading or changing this one reads or changes that
  /// instance. nil for most models.
  package var original: (any PersistentModel)? {
    flags.contains(.alias) ? rareFields?.original : nil
  }

  private var rareFields: RareModelFields? { fields.pointee.rareFields?.takeUnretainedValue() }

  var ownRareFields: RareModelFields { fields.pointee.ownRareFields }

  /// Whether the former value of any property is known.
  package var hasCommittedCells: Bool { fields.pointee.firstCommittedCell >= 0 }

  /// The value of a changed property when the row was last committed, as a separate row; nil when it isn't known, and
  /// for properties without a column.
  func committedCells(of property: Int) -> RowCopy? {
    withLink { $0.committedCells.row(of: property, from: fields.pointee.firstCommittedCell) } ?? nil
  }

  /// The values of changed attributes without a column when the model was last saved or read, as far as they had one.
  var formerValues: [(property: Int, value: Any)] { rareFields?.formerValues ?? [] }

  /// The property whose former value is being assigned, see ``restore(_:of:at:_:)``.
  var restored: (property: Int, value: Any)? { rareFields?.restored }

  /// The values that attributes without one are about to get, by property, while a model is made from values.
  var expectedValues: [Int: Any] {
    get { rareFields?.expectedValues ?? [:] }
    nonmutating set {
      if rareFields != nil || !newValue.isEmpty { ownRareFields.expectedValues = newValue }
    }
  }

  /// Releases the former values after the changes were committed or discarded.
  package func discardCommittedCells() { fields.pointee.discardCommittedCells() }

  /// The changes of to-many relationships since they were loaded.
  package var linkChanges: [LinkChanges] {
    get { rareFields?.linkChanges ?? [] }
    nonmutating set {
      if fields.pointee.rareFields != nil || !newValue.isEmpty {
        ownRareFields.linkChanges = newValue
      }
    }
    nonmutating _modify { yield &ownRareFields.linkChanges }
  }

  /// The fetch that left some properties out, and the model's position in it; nil when all are loaded.
  package var partial: (fetch: PartialFetch, place: Int)? {
    get { rareFields?.partial }
    nonmutating set { if rareFields != nil || newValue != nil { ownRareFields.partial = newValue } }
  }

  /// The link to the model's context; nil before insertion.
  @inlinable
  package var link: ContextLink? {
    get { fields.pointee.retainedLink?.takeUnretainedValue() }
    nonmutating set { fields.pointee.setLink(newValue) }
  }

  /// Calls `body` with the link to the model's context, without retaining it: nothing that `body` calls may move the
  /// model to another context.
  ///
  /// - Returns: The result; nil before insertion.
  @inlinable
  @inline(__always)
  @discardableResult
  package func withLink<Result>(_ body: (ContextLink) -> Result) -> Result? {
    fields.pointee.retainedLink?._withUnsafeGuaranteedRef { body($0) }
  }

  /// Calls `body` with the plan of the model's entity, without retaining it.
  @inline(__always)
  func withPlan(_ body: (EntityPlan) -> Void) {
    fields.pointee.plan?._withUnsafeGuaranteedRef { body($0) }
  }

  /// Whether the model came into its context because one of its relationships was set to a model there, and for no
  /// other reason.
  var cameByLink: Bool {
    get { fields.pointee.traits.contains(.cameByLink) }
    nonmutating set { set(.cameByLink, newValue) }
  }

  /// Whether the row was missing when the properties that a fetch left out were to be read. No other event has told the
  /// program of the deletion, so that a save has to tell of edits.
  var wasFoundGone: Bool {
    get { fields.pointee.traits.contains(.wasFoundGone) }
    nonmutating set { set(.wasFoundGone, newValue) }
  }

  /// Resets ``cameByLink`` and ``wasFoundGone``.
  func forgetOrigin() { fields.pointee.traits.subtract([.cameByLink, .wasFoundGone]) }

  private func set(_ trait: ModelFields.Traits, _ isSet: Bool) {
    if isSet { fields.pointee.traits.insert(trait) } else { fields.pointee.traits.remove(trait) }
  }

  /// Adds the model to the context of `link`, whose container keeps the plan alive.
  func join(_ link: ContextLink, _ plan: EntityPlan) { fields.pointee.join(link, plan) }

  private static let temporaryNumbers = Atomic<UInt64>(1)

  package var hasChanges: Bool {
    !flags.isDisjoint(with: [.inserted, .deleted]) || !changes.isEmpty
  }

  /// Whether the model takes over the values of its row: it has no unsaved changes and is no alias, and its row isn't
  /// known to be gone.
  package var followsRow: Bool { flags.isSubset(of: .matchedExistingRow) && changes.isEmpty }

  /// Whether the model stands in for one that doesn't exist.
  var isPlaceholder: Bool { flags.contains(.rowDeleted) && plan == nil }

  package var isDeleted: Bool { !flags.isDisjoint(with: [.deleted, .rowDeleted]) }

  package func identifier(entityName: String) -> PersistentIdentifier {
    if rowID != 0 {
      let entityName = plan?.name ?? entityName
      let known =
        if let plan {
          link?.identifier(rowID: rowID, of: plan)
        } else {
          link?.identifier(rowID: rowID, entityName: entityName)
        }
      return known
        ?? PersistentIdentifier(storeIdentifier: nil, entityName: entityName, key: .row(rowID))
    }
    let name = plan?.name ?? entityName
    let rareFields = ownRareFields
    if let temporary = rareFields.temporary, temporary.entityName == name { return temporary }
    let number =
      if case .temporary(let number) = rareFields.temporary?.key {
        number
      } else {
        Self.temporaryNumbers.wrappingAdd(1, ordering: .relaxed).oldValue
      }
    let made = PersistentIdentifier(
      storeIdentifier: nil, entityName: name, key: .temporary(number))
    rareFields.temporary = made
    if flags.contains(.inserted) { link?.recordTemporary(number, at: pendingPosition) }
    return made
  }

  /// The identifier of a model without a row, if it was requested.
  var temporary: PersistentIdentifier? { rareFields?.temporary }

  package func reference(at property: Int) -> Int64? { fields.pointee.reference(at: property) }

  package func setReference(_ rowID: Int64?, at property: Int) {
    fields.pointee.setReference(rowID, at: property)
  }
}
