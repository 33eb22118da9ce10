import CSwiftRuntime
import Foundation
import Observation
import Synchronization

/// The handle of one model object: which row it is, whose context it is in, what changed since the last
/// commit, and who observes it.
///
/// Models are confined to their context's isolation, and so is their state. What it consists of lies in the model itself,
/// see ``_ModelCore``, and the handle keeps the model alive. Its properties have no check of exclusive access at run time,
/// which would cost more than all else that reading a property does: each access to them is one load or store, or a change
/// by code in here that calls nobody, so no two of them can overlap. What closures change in place, ``linkChanges``, has
/// the check.
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
    /// Its row is gone.
    package static let gone = Flags(rawValue: 4)
    /// Among the context's changed models.
    package static let changed = Flags(rawValue: 8)
    /// Its insertion met a row that was there, see `ModelContext.save()`: undoing it leaves the row.
    package static let hasMetRow = Flags(rawValue: 16)
    /// Its row is about to be written, together with others.
    package static let held = Flags(rawValue: 32)
    /// Another instance stands for its row, see ``original``.
    package static let alias = Flags(rawValue: 64)
    /// Its row is being written into it through its own setters: nothing of that is a change.
    package static let filling = Flags(rawValue: 128)
  }

  /// What the fields lie in: the model or, for one that has no room for them, an object of its own.
  @usableFromInline let owner: AnyObject
  @usableFromInline let fields: UnsafeMutablePointer<ModelFields>

  @inlinable
  init(owner: AnyObject, fields: UnsafeMutablePointer<ModelFields>) {
    self.owner = owner
    self.fields = fields
  }

  /// State in an object of its own, for a model that has no ``_ModelCore``.
  public init() {
    let apart = StateApart()
    self = apart.core.state(of: apart)
  }

  private final class StateApart {
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

  /// The model's place among those that were fetched with it.
  package var groupPosition: Int32 {
    get { fields.pointee.groupPosition }
    nonmutating set { fields.pointee.groupPosition = newValue }
  }

  /// Where a context's pending models hold the model, see ``PendingModels``.
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

  /// The instance that stands for the row in place of this one: reading and changing this one is reading and changing that
  /// one. nil for most models.
  package var original: (any PersistentModel)? {
    flags.contains(.alias) ? rarities?.original : nil
  }

  private var rarities: ModelRarities? { fields.pointee.rarities?.takeUnretainedValue() }

  private var ownRarities: ModelRarities { fields.pointee.ownRarities }

  /// Whether it is known of any property what it was before it was changed.
  package var hasFormer: Bool { fields.pointee.firstFormer >= 0 }

  /// What a changed property was when the row was last committed, as a row of its own; nil when that isn't known, and for
  /// properties that have no column.
  func former(of property: Int) -> RowSnapshot? {
    fields.pointee.heldLink?._withUnsafeGuaranteedRef {
      $0.former.row(of: property, from: fields.pointee.firstFormer)
    }
  }

  /// The changes are committed, or given up.
  package func forgetFormer() { fields.pointee.forgetFormer() }

  /// What happened to to-many relationships since they were loaded.
  package var linkChanges: [LinkChanges] {
    get { rarities?.linkChanges ?? [] }
    nonmutating set {
      if fields.pointee.rarities != nil || !newValue.isEmpty { ownRarities.linkChanges = newValue }
    }
    nonmutating _modify { yield &ownRarities.linkChanges }
  }

  /// The fetch that left some properties out, and the model's place in it; nil when all are loaded.
  package var partial: (fetch: PartialFetch, place: Int)? {
    get { rarities?.partial }
    nonmutating set { if rarities != nil || newValue != nil { ownRarities.partial = newValue } }
  }

  /// The tie to the model's context; nil before insertion.
  @inlinable
  package var link: ContextLink? {
    get { fields.pointee.heldLink?.takeUnretainedValue() }
    nonmutating set { fields.pointee.setLink(newValue) }
  }

  /// Makes the model one of the context of `link`, whose container has the plan.
  func join(_ link: ContextLink, _ plan: EntityPlan) { fields.pointee.join(link, plan) }

  private static let temporaryNumbers = Atomic<UInt64>(1)

  package var context: ModelContext? { link?.context }

  package var hasChanges: Bool {
    !flags.isDisjoint(with: [.inserted, .deleted]) || !changes.isEmpty
  }

  /// Whether the model stands for none that exists.
  var isStandIn: Bool { flags.contains(.gone) && plan == nil }

  package var isDeleted: Bool { !flags.isDisjoint(with: [.deleted, .gone]) }

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
    let rarities = ownRarities
    if let temporary = rarities.temporary, temporary.entityName == name { return temporary }
    let number =
      if case .temporary(let number) = rarities.temporary?.key {
        number
      } else {
        Self.temporaryNumbers.wrappingAdd(1, ordering: .relaxed).oldValue
      }
    let made = PersistentIdentifier(
      storeIdentifier: nil, entityName: name, key: .temporary(number))
    rarities.temporary = made
    if flags.contains(.inserted) { link?.noteTemporary(number, at: pendingPosition) }
    return made
  }

  /// The identifier of a model without a row, if somebody has asked for it.
  var temporary: PersistentIdentifier? { rarities?.temporary }

  package func reference(at property: Int) -> Int64? { fields.pointee.reference(at: property) }

  package func setReference(_ rowID: Int64?, at property: Int) {
    fields.pointee.setReference(rowID, at: property)
  }
}

// MARK: - Observation

extension _ModelState {
  /// The registrar, made when first needed: most models are never observed.
  public var registrar: ObservationRegistrar {
    let rarities = ownRarities
    if let registrar = rarities.registrar { return registrar }
    let made = ObservationRegistrar()
    rarities.registrar = made
    fields.pointee.traits.insert(.isObserved)
    return made
  }

  /// Called by a property's getter.
  ///
  /// - Parameter keyPath: The property; not asked for while nobody observes.
  @inlinable
  @inline(__always)
  public func access<Model: PersistentModel, Member>(
    _ model: Model, keyPath: @autoclosure () -> KeyPath<Model, Member>
  ) {
    if !swift_data_tracks_nothing(), Self.isTracked(fields) { tellOfAccess(to: model, keyPath()) }
  }

  /// Whether a property of the model with these fields that is read now has to be made known to Observation.
  @usableFromInline
  static func isTracked(_ fields: UnsafeMutablePointer<ModelFields>) -> Bool {
    if let place = TrackingPlace.known { return place.pointee != nil }
    return findTracked(fields)
  }

  @inline(never)
  private static func findTracked(_ fields: UnsafeMutablePointer<ModelFields>) -> Bool {
    if let place = TrackingPlace.current { return place.pointee != nil }
    // Nothing that the probe calls can take the link away.
    return fields.pointee.heldLink?._withUnsafeGuaranteedRef { $0.probe.isTracked() } ?? true
  }

  @usableFromInline
  @inline(never)
  func tellOfAccess<Model: PersistentModel, Member>(
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
    // Without a registrar nobody has ever read the model while observing.
    guard isObserved else { return try mutation() }
    return try tellOfMutation(of: model, keyPath(), mutation)
  }

  @usableFromInline
  @inline(never)
  func tellOfMutation<Model: Observable, Member, MutationResult>(
    of model: Model, _ keyPath: KeyPath<Model, Member>, _ mutation: () throws -> MutationResult
  ) rethrows -> MutationResult {
    let result = try registrar.withMutation(of: model, keyPath: keyPath, mutation)
    if flags.contains(.alias) { handOver(keyPath, of: model) }
    return result
  }

  /// Called by a property's setter first of all: who observes is told before anything is done.
  ///
  /// - Parameter keyPath: The property; not asked for while nobody observes.
  /// - Returns: The property when ``didMutate(_:_:)`` has to follow, else nil.
  @inlinable
  @inline(__always)
  public func willMutate<Model: PersistentModel, Member>(
    _ model: Model, keyPath: @autoclosure () -> KeyPath<Model, Member>
  ) -> KeyPath<Model, Member>? {
    guard isObserved else { return nil }
    return tellOfMutation(of: model, keyPath())
  }

  @usableFromInline
  @inline(never)
  func tellOfMutation<Model: PersistentModel, Member>(
    of model: Model, _ keyPath: KeyPath<Model, Member>
  ) -> KeyPath<Model, Member> {
    registrar.willSet(model, keyPath: keyPath)
    return keyPath
  }

  /// Called by a property's setter when everything is done.
  @inline(never)
  public func didMutate<Model: PersistentModel, Member>(
    _ model: Model, _ keyPath: KeyPath<Model, Member>
  ) {
    registrar.didSet(model, keyPath: keyPath)
    if flags.contains(.alias) { handOver(keyPath, of: model) }
  }

  @inlinable
  package var isObserved: Bool { fields.pointee.traits.contains(.isObserved) }
}

// MARK: - Changes

extension _ModelState {
  /// Called by a property's setter before the value changes: what the property was is kept, and then the change is
  /// marked. Between the mark and the value no code of anybody else runs.
  @inlinable
  public func willChange<Model: PersistentModel>(_ model: Model, _ index: Int) {
    guard let link = fields.pointee.heldLink else { return }
    if link._withUnsafeGuaranteedRef({ $0.isRecording }) { recordUndo(of: model, at: index) }
    if !changes.contains(index) { noteChange(of: model, at: index) }
  }

  @usableFromInline
  func recordUndo<Model: PersistentModel>(of model: Model, at index: Int) {
    context?.recordChange(of: model, at: index)
  }

  @usableFromInline
  func noteChange<Model: PersistentModel>(of model: Model, at index: Int) {
    // The context keeps its link, and its container the plan.
    fields.pointee.heldLink?._withUnsafeGuaranteedRef { link in
      guard let context = link.context else { return }
      // A changed model is always whole, so that its row can be compared and restored.
      if partial != nil { _ = context.fill(model) }
      // Of a model whose row is gone nothing will be compared.
      if rowID != 0, !flags.contains(.gone), let plan = fields.pointee.plan,
        !link.former.contains(index, from: fields.pointee.firstFormer)
      {
        plan._withUnsafeGuaranteedRef {
          context.keeping($0).keep(index, of: model, self, in: link)
        }
      }
      fields.pointee.changes.insert(index)
      context.noteFirstChange(of: model, self, at: index)
      context.noteChange(of: model, self)
    }
  }

  /// The row as last committed: as the model is, but for the properties that were changed.
  package func committedRow<Model: PersistentModel>(of model: Model) -> RowSnapshot? {
    guard hasFormer else { return snapshot(of: model) }
    guard let plan, let link else { return nil }
    var writer = _RowWriter(plan: plan)
    writer.keepsDoomedLinks = true
    writer.begin(self)
    for index in plan.properties.indices
    where !link.former.append(
      index, from: fields.pointee.firstFormer, to: &writer.cells, &writer.arena)
    {
      writer.property = index
      model._$encode(index, into: &writer)
    }
    return writer.snapshot
  }

  package func snapshot<Model: PersistentModel>(of model: Model) -> RowSnapshot? {
    guard let plan else { return nil }
    var writer = _RowWriter(plan: plan)
    writer.keepsDoomedLinks = true
    writer.begin(self)
    // Rows of a class are about as long as each other, and growing takes several allocations.
    writer.arena.reserveCapacity(plan.byteCount.load(ordering: .relaxed))
    model._$encode(into: &writer)
    plan.byteCount.store(min(writer.arena.count, 4096), ordering: .relaxed)
    return writer.snapshot
  }

  /// Called by a property's setter after the value changed. Attributes need nothing more.
  @inlinable
  @_disfavoredOverload
  public func didChange<Model: PersistentModel, Value>(
    _ model: Model, _ index: Int, from oldValue: Value?, to newValue: Value
  ) {}
}

// MARK: - Values that aren't there yet

extension _ModelState {
  /// Called by a property's getter when its storage is empty: loads the row, or makes up a value.
  @_disfavoredOverload
  public func fault<Model: PersistentModel, Value>(_ model: Model, _ index: Int) -> Value {
    if let value: Value = originalValue(at: index) { return value }
    if let value = load(model, index, as: Value.self) { return value }
    if let zero = ZeroValue.make(Value.self) { return zero }
    if let assigned = AssignedValue.current?.value as? Value { return assigned }
    // Nothing of that type can be made out of nothing, and a getter can't throw.
    preconditionFailure(
      "\(Model.self) has no value for property \(index) of type \(Value.self): it was never set, its row"
        + " is gone, and the type has no empty value. Check isDeleted before reading.")
  }

  private func load<Model: PersistentModel, Value>(
    _ model: Model, _ index: Int, as type: Value.Type
  ) -> Value? {
    guard rowID != 0, let link, let plan, link.loader.fill(model) else { return nil }
    // The row is in the storage now, so the getter answers without coming back here.
    return model[keyPath: plan.properties[index].keyPath] as? Value
  }
}
