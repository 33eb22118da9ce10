/// The link between models and their context. Models hold it strongly, and it holds the context weakly, so a model that
/// outlives its context finds nil instead of trapping.
@usableFromInline
package final class ContextLink {
  @exclusivity(unchecked) package weak var context: ModelContext?
  /// Whether setters report every edit to the context, including edits of pending properties: for an undo manager, for
  /// a save under way, and when an automatic save was refused.
  @exclusivity(unchecked) @usableFromInline package var isRecording = false
  /// Detects whether a property of the context's models is being observed. Retained manually: each read of a property
  /// asks it.
  @exclusivity(unchecked) private var probe: Unmanaged<ObservationProbe>?
  let core: ContainerCore
  /// The models of the context by row; the maps stay together when they outlive the context.
  private var identityMaps: [ObjectIdentifier: IdentityMap] = [:]
  /// The map that was requested last: successive operations mostly use models of the same class. ``identityMaps`` keeps
  /// it alive.
  @exclusivity(unchecked) private var lastMap:
    (type: ObjectIdentifier, map: Unmanaged<IdentityMap>)?
  /// The stored values of the models' changed properties. Changed in place by code that calls no other code.
  @exclusivity(unchecked) var committedCells = CommittedCells()
  private(set) var rowIDMaps: [String: RowIDMap] = [:]
  /// The models that have gone to another store since the context ended, by their tables and former rows.
  private var leftModels: [String: [Int64: any PersistentModel]] = [:]

  /// The places of the context's inserted models, by the numbers of their temporary identifiers.
  @exclusivity(unchecked) private var temporaryIdentifiers = TemporaryIdentifierIndex()

  init(core: ContainerCore) { self.core = core }

  deinit { probe?.release() }

  /// Whether a read of a property of one of the context's models has to be reported to Observation.
  @usableFromInline
  @inline(never)
  func isTracked() -> Bool {
    (probe ?? makeProbe())._withUnsafeGuaranteedRef { $0.isTracked() }
  }

  @inline(never)
  private func makeProbe() -> Unmanaged<ObservationProbe> {
    let made = Unmanaged.passRetained(ObservationProbe())
    probe = made
    return made
  }

  /// Records that an inserted model got a temporary identifier, or that a model with one was inserted.
  func recordTemporary(_ number: UInt64, at place: Int32) {
    temporaryIdentifiers.record(number, at: place, among: context?.pending.inserted)
  }

  /// Returns the inserted model with a temporary identifier.
  func model(
    with identifier: PersistentIdentifier, among inserted: PendingModels
  ) -> (any PersistentModel)? {
    temporaryIdentifiers.model(with: identifier, among: inserted)
  }

  /// Returns the context's models of a class, once the context has used the class.
  func identityMap(for type: any PersistentModel.Type) -> IdentityMap? {
    unretainedMap(of: ObjectIdentifier(type))?.takeUnretainedValue()
  }

  private func unretainedMap(of type: ObjectIdentifier) -> Unmanaged<IdentityMap>? {
    if let lastMap, lastMap.type == type { return lastMap.map }
    guard let map = identityMaps[type] else { return nil }
    lastMap = (type, .passUnretained(map))
    return .passUnretained(map)
  }

  /// Returns the registered model of an identifier of a class that the context has used; nil for other identifiers, and
  /// a nil model when the context doesn't have it.
  func registered<Model: PersistentModel>(
    _ identifier: PersistentIdentifier, as type: Model.Type
  ) -> Model?? {
    guard let map = unretainedMap(of: ObjectIdentifier(type)) else { return nil }
    return map._withUnsafeGuaranteedRef { map -> Model?? in
      guard map.plan.name == identifier.entityName else { return nil }
      guard let model = map[identifier] else { return .some(nil) }
      // The runtime's cast takes longer than this comparison.
      return ObjectIdentifier(Swift.type(of: model)) == ObjectIdentifier(type)
        ? unsafeDowncast(model, to: type) : model as? Model
    }
  }

  func keep(_ map: IdentityMap, for type: any PersistentModel.Type) {
    identityMaps[ObjectIdentifier(type)] = map
    lastMap = nil
  }

  /// Returns the rows of the table that stores the models of `plan`.
  func rows(of plan: EntityPlan) -> RowIDMap {
    if let rows = rowIDMaps[plan.table] { return rows }
    let made = RowIDMap()
    rowIDMaps[plan.table] = made
    return made
  }

  /// The context that loads relationships for the models: their own or, when it is gone, one for this purpose only.
  var loader: ModelContext { context ?? ModelContext(loadingFor: self, core) }

  /// Records a model that goes to another store.
  func recordLeaving(_ model: any PersistentModel, of plan: EntityPlan) {
    leftModels[plan.table, default: [:]][model._$modelState.rowID] = model
  }

  /// Returns the model that has gone to the context of `link` in place of one that was read again since, otherwise
  /// `model` itself.
  func successor(of model: any PersistentModel, in link: ContextLink) -> any PersistentModel {
    let state = model._$modelState
    guard !leftModels.isEmpty, state.link === self, let plan = state.plan,
      let left = leftModels[plan.table]?[state.rowID],
      left._$modelState.link === link || left._$modelState.link == nil
    else { return model }
    return left
  }

  /// Returns the identifier of a stored row.
  package func identifier(rowID: Int64, entityName: String) -> PersistentIdentifier? {
    core.entry(named: entityName)?.identifier(rowID: rowID)
  }

  /// Returns the identifier of a stored row of an entity.
  package func identifier(rowID: Int64, of plan: EntityPlan) -> PersistentIdentifier? {
    (core.entry(of: plan) ?? core.entry(named: plan.name))?.identifier(rowID: rowID)
  }
}
