/// The tie between models and their context. Models hold it strongly, it holds the context weakly, so a
/// model that outlives its context finds nil instead of trapping.
@usableFromInline
package final class ContextLink {
  @exclusivity(unchecked) package weak var context: ModelContext?
  /// Whether setters tell the context of every edit, of pending properties too: for an undo manager, for a save under way,
  /// and when an automatic save was refused.
  @exclusivity(unchecked) @usableFromInline package var isRecording = false
  /// Finds out whether anybody observes, where ``TrackingPlace`` can't.
  var probe: ObservationProbe {
    if let madeProbe { return madeProbe }
    let made = ObservationProbe()
    madeProbe = made
    return made
  }
  @exclusivity(unchecked) private var madeProbe: ObservationProbe?
  private let core: ContainerCore
  /// The models of the context by row; they stay together when they outlive it.
  private var identityMaps: [ObjectIdentifier: IdentityMap] = [:]
  /// The one that was asked for last: most is done with models of one class after another.
  @exclusivity(unchecked) private var lastMap: (type: ObjectIdentifier, map: IdentityMap)?
  /// What changed properties of the models were in their rows. Changed in place by what calls nobody.
  @exclusivity(unchecked) var former = FormerCells()
  private(set) var identityRows: [String: IdentityRows] = [:]

  /// Where the context's inserted models with the numbers of temporary identifiers are.
  @exclusivity(unchecked) private var temporaries = TemporaryPlaces()

  init(core: ContainerCore) { self.core = core }

  /// A model that is inserted got a temporary identifier, or the other way round.
  func noteTemporary(_ number: UInt64, at place: Int32) {
    temporaries.note(number, at: place, among: context?.inserted)
  }

  /// The inserted model with a temporary identifier.
  func model(
    with identifier: PersistentIdentifier, among inserted: PendingModels
  ) -> (any PersistentModel)? {
    temporaries.model(with: identifier, among: inserted)
  }

  /// The context's models of a class, once it has had to do with that.
  func identityMap(for type: any PersistentModel.Type) -> IdentityMap? {
    let type = ObjectIdentifier(type)
    if let lastMap, lastMap.type == type { return lastMap.map }
    guard let map = identityMaps[type] else { return nil }
    lastMap = (type, map)
    return map
  }

  func keep(_ map: IdentityMap, for type: any PersistentModel.Type) {
    identityMaps[ObjectIdentifier(type)] = map
    lastMap = nil
  }

  /// The rows of the table that the models of `plan` lie in.
  func rows(of plan: EntityPlan) -> IdentityRows {
    if let rows = identityRows[plan.table] { return rows }
    let made = IdentityRows()
    identityRows[plan.table] = made
    return made
  }

  /// The context that loads relationships for the models: theirs or, when it is gone, one for this purpose only.
  var loader: ModelContext { context ?? ModelContext(loadingFor: self, core) }

  /// The identifier of a stored row.
  package func identifier(rowID: Int64, entityName: String) -> PersistentIdentifier? {
    core.entry(named: entityName)?.identifier(rowID: rowID)
  }

  /// The identifier of a stored row of an entity.
  package func identifier(rowID: Int64, of plan: EntityPlan) -> PersistentIdentifier? {
    (core.entry(of: plan) ?? core.entry(named: plan.name))?.identifier(rowID: rowID)
  }
}
