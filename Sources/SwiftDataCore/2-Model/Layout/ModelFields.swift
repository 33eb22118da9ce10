import CSwiftRuntime
import Observation

/// The fields of each model's state. Fields that few models need are in ``RareModelFields``.
@usableFromInline
package struct ModelFields {
  @usableFromInline var rowID: Int64 = 0
  /// The link to the context, retained manually: reading a property may ask the link's probe, and retaining the link
  /// for that would cost more than everything else.
  @usableFromInline var retainedLink: Unmanaged<ContextLink>?
  /// The entity's plan, kept alive by the link when the row was read; otherwise retained, which ``Traits/retainsPlan``
  /// records.
  @usableFromInline var plan: Unmanaged<EntityPlan>?
  @usableFromInline var generation: UInt64 = 0
  @usableFromInline var changes = ChangeMask()
  /// The table in which the model is registered under its row id. The link keeps the table alive.
  @usableFromInline var rows: Unmanaged<RowIDMap>?
  /// The address under which the model is registered (in a plain build that of these fields); without ``rows`` the
  /// address of the ``DetachedGroup`` that the model is in, at ``groupPosition``.
  @usableFromInline var address: UnsafeMutableRawPointer?
  /// The first row id of a to-one relationship, loaded or not; ``RareModelFields`` has the others. It is stored here
  /// because many classes have no other.
  @usableFromInline var firstReference: Int64 = 0
  /// Retained.
  @usableFromInline var group: Unmanaged<FetchGroup>?
  /// Retained.
  @usableFromInline var rareFields: Unmanaged<RareModelFields>?
  @usableFromInline var groupPosition: Int32 = 0
  @usableFromInline var pendingPosition: Int32 = -1
  /// The index of the model's first cell in the link's ``CommittedCells``; negative when there is none.
  @usableFromInline var firstCommittedCell: Int32 = -1
  /// The property of ``firstReference``; negative when there is none.
  @usableFromInline var firstReferenceProperty: Int16 = -1
  @usableFromInline var flags: _ModelState.Flags = []
  @usableFromInline var traits: Traits = []

  @usableFromInline
  struct Traits: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8
    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The state is in a separate object, which may outlive the model.
    @inlinable static var isApart: Traits { Traits(rawValue: 1) }
    /// The model has a registrar.
    @inlinable static var isObserved: Traits { Traits(rawValue: 2) }
    /// ``plan`` is retained.
    @inlinable static var retainsPlan: Traits { Traits(rawValue: 4) }
    /// See ``_ModelState/cameByLink``.
    static var cameByLink: Traits { Traits(rawValue: 8) }
    /// See ``_ModelState/wasFoundGone``.
    static var wasFoundGone: Traits { Traits(rawValue: 16) }
  }

  @inlinable
  init() {}

  @usableFromInline
  mutating func setLink(_ link: ContextLink?) {
    let (old, new) = (retainedLink, link.map { Unmanaged.passUnretained($0) })
    guard old?.toOpaque() != new?.toOpaque() else { return }
    if address != nil { unregister() }
    if !traits.contains(.retainsPlan), let plan {
      _ = plan.retain()
      traits.insert(.retainsPlan)
    }
    discardCommittedCells()
    retainedLink = new?.retain()
    old?.release()
  }

  @usableFromInline
  mutating func setPlan(_ plan: EntityPlan?) {
    let (old, held) = (self.plan, traits.contains(.retainsPlan))
    self.plan = plan.map { Unmanaged.passRetained($0) }
    if plan == nil { traits.remove(.retainsPlan) } else { traits.insert(.retainsPlan) }
    if held { old?.release() }
  }

  mutating func join(_ link: ContextLink, _ plan: EntityPlan) {
    setLink(link)
    if traits.contains(.retainsPlan) { setPlan(nil) }
    self.plan = .passUnretained(plan)
  }

  mutating func begin(_ row: RowView, in link: ContextLink, generation: UInt64) {
    // A user's own initialiser may have inserted the model into a context.
    if retainedLink != nil { setLink(nil) }
    if traits.contains(.retainsPlan) { setPlan(nil) }
    rowID = row.rowID
    retainedLink = .passRetained(link)
    plan = row.planReference.unmanaged
    self.generation = generation
  }

  mutating func register(in rows: RowIDMap, at address: UnsafeMutableRawPointer) {
    unregister()
    self.rows = .passUnretained(rows)
    #if OSD_PLAIN_MAP
      self.address = address
    #else
      // The memory of a model that its state may outlive is kept while the address is registered, so that no other
      // object can get it. In all other models the state is released first.
      self.address = traits.contains(.isApart) ? swift_unownedRetain(address) : address
    #endif
  }

  @usableFromInline
  mutating func unregister() {
    guard let address else { return }
    guard let rows else { return withUnsafeMutablePointer(to: &self, DetachedGroup.leave) }
    rows._withUnsafeGuaranteedRef { $0.remove(rowID, at: address) }
    self.rows = nil
    self.address = nil
    #if !OSD_PLAIN_MAP
      if traits.contains(.isApart) { swift_unownedRelease(address) }
    #endif
  }

  /// Whether the model is in a ``DetachedGroup``.
  var isGrouped: Bool { rows == nil && address != nil }

  mutating func discardCommittedCells() {
    rareFields?.takeUnretainedValue().formerValues = []
    guard firstCommittedCell >= 0 else { return }
    let first = firstCommittedCell
    firstCommittedCell = -1
    retainedLink?._withUnsafeGuaranteedRef { $0.committedCells.discard(from: first) }
  }

  var ownRareFields: RareModelFields {
    mutating get {
      if let rareFields { return rareFields.takeUnretainedValue() }
      let made = RareModelFields()
      rareFields = .passRetained(made)
      return made
    }
  }

  func reference(at property: Int) -> Int64? {
    if property >= 0, Int(firstReferenceProperty) == property { return firstReference }
    return rareFields?.takeUnretainedValue().references.first { $0.property == property }?.rowID
  }

  mutating func setReference(_ rowID: Int64?, at property: Int) {
    guard property >= 0 else { return }
    if Int(firstReferenceProperty) == property { firstReferenceProperty = -1 }
    rareFields?.takeUnretainedValue().references.removeAll { $0.property == property }
    guard let rowID else { return }
    if firstReferenceProperty < 0, let narrow = Int16(exactly: property) {
      (firstReferenceProperty, firstReference) = (narrow, rowID)
    } else {
      ownRareFields.references.append((property, rowID))
    }
  }

  /// Releases everything when the model is deallocated.
  mutating func end() {
    unregister()
    if firstCommittedCell >= 0 {
      retainedLink?._withUnsafeGuaranteedRef { $0.committedCells.abandon(from: firstCommittedCell) }
    }
    if traits.contains(.retainsPlan) { plan?.release() }
    group?.release()
    rareFields?.release()
    if changes.hasRest { changes = ChangeMask() }
    retainedLink?.release()
  }
}

/// The parts of the state that few models have.
@usableFromInline
final class RareModelFields {
  @exclusivity(unchecked) var partial: (fetch: PartialFetch, place: Int)?
  @exclusivity(unchecked) var registrar: ObservationRegistrar?
  /// The identifier before the first save, if it was requested.
  @exclusivity(unchecked) var temporary: PersistentIdentifier?
  /// The row ids of the other to-one relationships.
  @exclusivity(unchecked) var references: [(property: Int, rowID: Int64)] = []
  var linkChanges: [LinkChanges] = []
  /// The values of changed attributes without a column when the model was last saved or read.
  @exclusivity(unchecked) var formerValues: [(property: Int, value: Any)] = []
  /// The property whose former value is being assigned, and the value.
  @exclusivity(unchecked) var restored: (property: Int, value: Any)?
  /// The values that attributes without one are about to get, by property.
  @exclusivity(unchecked) var expectedValues: [Int: Any] = [:]
  /// The instance that represents the row in place of this one.
  @exclusivity(unchecked) var original: (any PersistentModel)?
}
