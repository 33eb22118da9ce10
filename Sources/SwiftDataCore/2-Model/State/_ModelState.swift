import CSwiftRuntime
import Foundation
import Observation
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

  private var ownRareFields: RareModelFields { fields.pointee.ownRareFields }

  /// Whether the former value of any property is known.
  package var hasCommittedCells: Bool { fields.pointee.firstCommittedCell >= 0 }

  /// The value of a changed property when the row was last committed, as a separate row; nil when it isn't known, and
  /// for properties without a column.
  func committedCells(of property: Int) -> RowCopy? {
    fields.pointee.retainedLink?._withUnsafeGuaranteedRef {
      $0.committedCells.row(of: property, from: fields.pointee.firstCommittedCell)
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

  /// Adds the model to the context of `link`, whose container keeps the plan alive.
  func join(_ link: ContextLink, _ plan: EntityPlan) { fields.pointee.join(link, plan) }

  private static let temporaryNumbers = Atomic<UInt64>(1)

  package var context: ModelContext? { link?.context }

  package var hasChanges: Bool {
    !flags.isDisjoint(with: [.inserted, .deleted]) || !changes.isEmpty
  }

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

// MARK: - Observation

extension _ModelState {
  /// The registrar, made when first needed: most models are never observed.
  public var registrar: ObservationRegistrar {
    let rareFields = ownRareFields
    if let registrar = rareFields.registrar { return registrar }
    let made = ObservationRegistrar()
    rareFields.registrar = made
    fields.pointee.traits.insert(.isObserved)
    return made
  }

  /// Called by a property's getter.
  ///
  /// - Parameter keyPath: The property; not evaluated while there is no observer.
  @inlinable
  @inline(__always)
  public func access<Model: PersistentModel, Member>(
    _ model: Model, keyPath: @autoclosure () -> KeyPath<Model, Member>
  ) {
    if !swift_data_tracks_nothing(), Self.isTracked(fields) { reportAccess(to: model, keyPath()) }
  }

  /// Whether a read of a property of the model with these fields has to be reported to Observation now.
  @usableFromInline
  static func isTracked(_ fields: UnsafeMutablePointer<ModelFields>) -> Bool {
    if let slot = TrackingSlot.known { return slot.pointee != nil }
    return findTracked(fields)
  }

  @inline(never)
  private static func findTracked(_ fields: UnsafeMutablePointer<ModelFields>) -> Bool {
    if let slot = TrackingSlot.current { return slot.pointee != nil }
    // Nothing that the probe calls can release the link.
    return fields.pointee.retainedLink?._withUnsafeGuaranteedRef { $0.probe.isTracked() } ?? true
  }

  @usableFromInline
  @inline(never)
  func reportAccess<Model: PersistentModel, Member>(
    to model: Model, _ keyPath: KeyPath<Model, Member>
  ) {
    registrar.access(model, keyPath: keyPath)
  }

  @inlinable
  @inline(__always)
  public func withMutation<Model: Observable, Member, MutationResult>(
    of model: Model, keyPath: @autoclosure () -> KeyPath<Model, Member>,
    _ mutation: () throws -> MutationResult
  ) rethrows -> MutationResult {
    // Without a registrar, no observer has ever read the model.
    guard isObserved else { return try mutation() }
    return try reportMutation(of: model, keyPath(), mutation)
  }

  @usableFromInline
  @inline(never)
  func reportMutation<Model: Observable, Member, MutationResult>(
    of model: Model, _ keyPath: KeyPath<Model, Member>, _ mutation: () throws -> MutationResult
  ) rethrows -> MutationResult {
    let result = try registrar.withMutation(of: model, keyPath: keyPath, mutation)
    if flags.contains(.alias) { forward(keyPath, of: model) }
    return result
  }

  /// Called by a property's setter before anything else: observers are notified before the change.
  ///
  /// - Parameter keyPath: The property; not evaluated while there is no observer.
  /// - Returns: The property when ``didMutate(_:_:)`` has to follow, otherwise nil.
  @inlinable
  @inline(__always)
  public func willMutate<Model: PersistentModel, Member>(
    _ model: Model, keyPath: @autoclosure () -> KeyPath<Model, Member>
  ) -> KeyPath<Model, Member>? {
    guard isObserved else { return nil }
    return reportMutation(of: model, keyPath())
  }

  @usableFromInline
  @inline(never)
  func reportMutation<Model: PersistentModel, Member>(
    of model: Model, _ keyPath: KeyPath<Model, Member>
  ) -> KeyPath<Model, Member> {
    registrar.willSet(model, keyPath: keyPath)
    return keyPath
  }

  /// Called by a property's setter after everything else.
  @inline(never)
  public func didMutate<Model: PersistentModel, Member>(
    _ model: Model, _ keyPath: KeyPath<Model, Member>
  ) {
    registrar.didSet(model, keyPath: keyPath)
    if flags.contains(.alias) { forward(keyPath, of: model) }
  }

  @inlinable
  package var isObserved: Bool { fields.pointee.traits.contains(.isObserved) }
}

// MARK: - Changes

extension _ModelState {
  /// Called by a property's setter before the value changes: keeps the former value, then marks the change. No outside
  /// code runs between the mark and the assignment of the value.
  @inlinable
  public func willChange<Model: PersistentModel>(_ model: Model, _ index: Int) {
    guard let link = fields.pointee.retainedLink else { return }
    if link._withUnsafeGuaranteedRef({ $0.isRecording }) { recordUndo(of: model, at: index) }
    if !changes.contains(index) { registerChange(of: model, at: index) }
  }

  @usableFromInline
  func recordUndo<Model: PersistentModel>(of model: Model, at index: Int) {
    context?.recordChange(of: model, at: index)
  }

  @usableFromInline
  func registerChange<Model: PersistentModel>(of model: Model, at index: Int) {
    // The context keeps its link alive, and its container the plan.
    fields.pointee.retainedLink?._withUnsafeGuaranteedRef { link in
      guard let context = link.context else { return }
      // A changed model is always fully loaded, so that its row can be compared and restored.
      if partial != nil { _ = context.fill(model) }
      // A model whose row is gone is never compared.
      if rowID != 0, !flags.contains(.rowDeleted), let plan = fields.pointee.plan,
        !link.committedCells.contains(index, from: fields.pointee.firstCommittedCell)
      {
        plan._withUnsafeGuaranteedRef {
          context.cellEncoder($0).record(index, of: model, self, in: link)
        }
      }
      fields.pointee.changes.insert(index)
      context.registerFirstChange(of: model, self, at: index)
      context.registerChange(of: model, self)
    }
  }

  /// The row as last committed: the model's current values, except for the properties that were changed.
  package func committedRow<Model: PersistentModel>(of model: Model) -> RowCopy? {
    guard hasCommittedCells else { return currentRow(of: model) }
    guard let plan, let link else { return nil }
    var writer = _RowWriter(plan: plan)
    writer.keepsLinksToDeleted = true
    writer.begin(self)
    for index in plan.properties.indices
    where !link.committedCells.append(
      index, from: fields.pointee.firstCommittedCell, to: &writer.cells, &writer.arena)
    {
      writer.property = index
      model._$encode(index, into: &writer)
    }
    return writer.rowCopy
  }

  package func currentRow<Model: PersistentModel>(of model: Model) -> RowCopy? {
    guard let plan else { return nil }
    var writer = _RowWriter(plan: plan)
    writer.keepsLinksToDeleted = true
    writer.begin(self)
    // Rows of a class have similar lengths, and growing the arena takes several allocations.
    writer.arena.reserveCapacity(plan.byteCount.load(ordering: .relaxed))
    model._$encode(into: &writer)
    plan.byteCount.store(min(writer.arena.count, 4096), ordering: .relaxed)
    return writer.rowCopy
  }

  /// Called by a property's setter after the value changed. Attributes need no further action.
  @inlinable
  @_disfavoredOverload
  public func didChange<Model: PersistentModel, Value>(
    _ model: Model, _ index: Int, from oldValue: Value?, to newValue: Value
  ) {}
}

// MARK: - Values that aren't loaded yet

extension _ModelState {
  /// Called by a property's getter when its storage is empty: loads the row, or makes a substitute value.
  @_disfavoredOverload
  public func fault<Model: PersistentModel, Value>(_ model: Model, _ index: Int) -> Value {
    if let value: Value = originalValue(at: index) { return value }
    if let value = load(model, index, as: Value.self) { return value }
    if let zero = ZeroValue.make(Value.self) { return zero }
    if let assigned = AssignedValue.current?.value as? Value { return assigned }
    // No value of that type can be made without input, and a getter can't throw.
    preconditionFailure(
      "\(Model.self) has no value for property \(index) of type \(Value.self): it was never set, its row"
        + " is gone, and the type has no empty value. Check isDeleted before reading.")
  }

  private func load<Model: PersistentModel, Value>(
    _ model: Model, _ index: Int, as type: Value.Type
  ) -> Value? {
    guard rowID != 0, let link, let plan, link.loader.fill(model) else { return nil }
    // The row is in the storage now, so the getter doesn't call this method again.
    return model[keyPath: plan.properties[index].keyPath] as? Value
  }
}
