import CSwiftRuntime
import Observation

/// The place in a model object for its state, ``_ModelState``: the macro gives each class one.
///
/// State in an object of its own cost a second allocation, a header and a reference count for each model. The place has
/// an address that stays, as a mutex has, because it can't be copied or moved out of the object.
@_rawLayout(like: ModelFields)
public struct _ModelCore: ~Copyable {
  @usableFromInline
  @inline(__always)
  var fields: UnsafeMutablePointer<ModelFields> {
    withUnsafePointer(to: self) { place in
      UnsafeMutableRawPointer(mutating: UnsafeRawPointer(place))
        .assumingMemoryBound(to: ModelFields.self)
    }
  }

  @inlinable
  public init() { fields.initialize(to: ModelFields()) }

  deinit {
    // What the fields hold is let go of by hand: going through their type's metadata took longer than all of it.
    fields.pointee.end()
  }

  /// The handle of the model that this place lies in.
  @inlinable
  @inline(__always)
  public borrowing func state(of model: AnyObject) -> _ModelState {
    _ModelState(owner: model, fields: fields)
  }

  /// This place.
  @inlinable
  @inline(__always)
  public var place: _ModelPlace {
    borrowing get { _ModelPlace(fields) }
  }
}

/// Where a model's state lies. Unlike ``_ModelState`` it doesn't keep the model, and so costs nothing to ask for.
public struct _ModelPlace {
  @usableFromInline let fields: UnsafeMutablePointer<ModelFields>

  @inlinable
  init(_ fields: UnsafeMutablePointer<ModelFields>) { self.fields = fields }
}

/// What each model's state consists of. What few models need lies in ``ModelRarities``.
@usableFromInline
package struct ModelFields {
  @usableFromInline var rowID: Int64 = 0
  /// The tie, held by hand: reading a property may ask its probe, and retaining the tie for that would cost more than all
  /// the rest.
  @usableFromInline var heldLink: Unmanaged<ContextLink>?
  /// Its link keeps that of a row that was read, ``holdsPlan`` tells of others.
  @usableFromInline var plan: Unmanaged<EntityPlan>?
  @usableFromInline var generation: UInt64 = 0
  @usableFromInline var changes = ChangeMask()
  /// Where the model is registered under its row id, which its link keeps alive.
  @usableFromInline var rows: Unmanaged<IdentityRows>?
  /// The address under which it is; without ``rows`` that of the ``DetachedGroup`` that the model is in, at
  /// ``groupPosition``.
  @usableFromInline var address: UnsafeMutableRawPointer?
  /// Row ids of to-one relationships by property, loaded or not. The first one lies here: many classes have no other.
  @usableFromInline var firstReference: Int64 = 0
  /// Retained.
  @usableFromInline var group: Unmanaged<FetchGroup>?
  /// Retained.
  @usableFromInline var rarities: Unmanaged<ModelRarities>?
  @usableFromInline var groupPosition: Int32 = 0
  @usableFromInline var pendingPosition: Int32 = -1
  /// Where the link has what changed properties were, see ``FormerCells``; negative without any.
  @usableFromInline var firstFormer: Int32 = -1
  /// The property of ``firstReference``; none while negative.
  @usableFromInline var firstReferenceProperty: Int16 = -1
  @usableFromInline var flags: _ModelState.Flags = []
  @usableFromInline var traits: Traits = []

  @usableFromInline
  struct Traits: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8
    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The state lies in an object of its own, which may outlive the model.
    @inlinable static var isApart: Traits { Traits(rawValue: 1) }
    /// There is a registrar.
    @inlinable static var isObserved: Traits { Traits(rawValue: 2) }
    /// ``plan`` is retained.
    @inlinable static var holdsPlan: Traits { Traits(rawValue: 4) }
  }

  @inlinable
  init() {}

  @usableFromInline
  mutating func setLink(_ link: ContextLink?) {
    let (old, new) = (heldLink, link.map { Unmanaged.passUnretained($0) })
    guard old?.toOpaque() != new?.toOpaque() else { return }
    if address != nil { unregister() }
    if !traits.contains(.holdsPlan), let plan {
      _ = plan.retain()
      traits.insert(.holdsPlan)
    }
    forgetFormer()
    heldLink = new?.retain()
    old?.release()
  }

  @usableFromInline
  mutating func setPlan(_ plan: EntityPlan?) {
    let (old, held) = (self.plan, traits.contains(.holdsPlan))
    self.plan = plan.map { Unmanaged.passRetained($0) }
    if plan == nil { traits.remove(.holdsPlan) } else { traits.insert(.holdsPlan) }
    if held { old?.release() }
  }

  mutating func join(_ link: ContextLink, _ plan: EntityPlan) {
    setLink(link)
    if traits.contains(.holdsPlan) { setPlan(nil) }
    self.plan = .passUnretained(plan)
  }

  mutating func begin(_ row: StoredRow, in link: ContextLink, generation: UInt64) {
    // An initialiser that somebody wrote may have inserted the model somewhere.
    if heldLink != nil { setLink(nil) }
    if traits.contains(.holdsPlan) { setPlan(nil) }
    rowID = row.rowID
    heldLink = .passRetained(link)
    plan = row.planReference
    self.generation = generation
  }

  mutating func register(in rows: IdentityRows, at address: UnsafeMutableRawPointer) {
    unregister()
    self.rows = .passUnretained(rows)
    // The memory of a model that its state outlives is kept while the address is known, so that no other object can have
    // it. Else the state goes first.
    self.address = traits.contains(.isApart) ? swift_unownedRetain(address) : address
  }

  @usableFromInline
  mutating func unregister() {
    guard let address else { return }
    guard let rows else { return withUnsafeMutablePointer(to: &self, DetachedGroup.leave) }
    rows._withUnsafeGuaranteedRef { $0.remove(rowID, at: address) }
    self.rows = nil
    self.address = nil
    if traits.contains(.isApart) { swift_unownedRelease(address) }
  }

  /// Whether the model is in a ``DetachedGroup``.
  var isGrouped: Bool { rows == nil && address != nil }

  mutating func forgetFormer() {
    guard firstFormer >= 0 else { return }
    let first = firstFormer
    firstFormer = -1
    heldLink?._withUnsafeGuaranteedRef { $0.former.forget(from: first) }
  }

  var ownRarities: ModelRarities {
    mutating get {
      if let rarities { return rarities.takeUnretainedValue() }
      let made = ModelRarities()
      rarities = .passRetained(made)
      return made
    }
  }

  func reference(at property: Int) -> Int64? {
    if property >= 0, Int(firstReferenceProperty) == property { return firstReference }
    return rarities?.takeUnretainedValue().references.first { $0.property == property }?.rowID
  }

  mutating func setReference(_ rowID: Int64?, at property: Int) {
    guard property >= 0 else { return }
    if Int(firstReferenceProperty) == property { firstReferenceProperty = -1 }
    rarities?.takeUnretainedValue().references.removeAll { $0.property == property }
    guard let rowID else { return }
    if firstReferenceProperty < 0, let narrow = Int16(exactly: property) {
      (firstReferenceProperty, firstReference) = (narrow, rowID)
    } else {
      ownRarities.references.append((property, rowID))
    }
  }

  /// The model goes.
  mutating func end() {
    unregister()
    if firstFormer >= 0 {
      heldLink?._withUnsafeGuaranteedRef { $0.former.abandon(from: firstFormer) }
    }
    if traits.contains(.holdsPlan) { plan?.release() }
    group?.release()
    rarities?.release()
    if changes.hasRest { changes = ChangeMask() }
    heldLink?.release()
  }
}

/// What few models have.
@usableFromInline
final class ModelRarities {
  @exclusivity(unchecked) var partial: (fetch: PartialFetch, place: Int)?
  @exclusivity(unchecked) var registrar: ObservationRegistrar?
  /// The identifier before the first save, once somebody has asked for it.
  @exclusivity(unchecked) var temporary: PersistentIdentifier?
  /// The row ids of the other to-one relationships.
  @exclusivity(unchecked) var references: [(property: Int, rowID: Int64)] = []
  var linkChanges: [LinkChanges] = []
  /// The instance that stands for the row in place of this one.
  @exclusivity(unchecked) var original: (any PersistentModel)?
}
