import SwiftDataCore
import SwiftDataSQL

/// The state that the phases of a save share.
///
/// No function that is called with a part of this object accesses the object again, so its variables have no
/// exclusivity checks.
final class SaveContext {
  /// The connection of the save's transaction, which has the history recorder.
  let connection: Connection
  let store: DefaultStore
  let changes: StoreChanges
  /// The updated models that are written: without those whose rows are gone, or whose changes the policy gives up.
  @exclusivity(unchecked) var updated: [any PersistentModel]
  /// The changes that the merge policy gives up, from conflicts and missing rows.
  @exclusivity(unchecked) var discarded = DiscardedChanges()
  /// Changed properties that keep the store's values, by model: from conflicts, for the updates.
  @exclusivity(unchecked) var kept: [ObjectIdentifier: Set<Int>] = [:]
  /// References that were left empty because their destination is written later: from updates and insertions, for the
  /// links.
  @exclusivity(unchecked) var openReferences: [OpenReference] = []

  /// A reference that completes a cycle.
  struct OpenReference {
    let owner: any PersistentModel
    let property: Int
    let destination: any PersistentModel
  }

  init(_ changes: StoreChanges, on connection: Connection, of store: DefaultStore) {
    self.changes = changes
    self.connection = connection
    self.store = store
    updated = changes.updated
  }

  var policy: MergePolicy { changes.mergePolicy }

  /// The transaction, for the toolkit's additional work.
  var rows: SQLiteRowTransaction { SQLiteRowTransaction(connection: connection, store: store) }

  /// Whether only this save uses the connection while it runs: false for a store in memory and for a migration's stage.
  var ownsConnection: Bool { !store.location.isInMemory && store.stage == nil }

  /// Whether the save inserts enough models for indices to be created after the last row.
  var isLarge: Bool { ownsConnection && changes.inserted.count >= DeferredIndices.minimumRows }

  /// Whether a model belongs to the context being saved.
  func isOwn(_ model: any PersistentModel) -> Bool {
    model._$modelState.link === changes.inserted.first?._$modelState.link
  }

  func plan(of model: any PersistentModel) throws -> EntityPlan {
    guard let plan = model._$modelState.plan else { throw SwiftDataError.missingModelContext }
    return plan
  }

  func statements(of plan: EntityPlan) throws -> EntityStatements {
    try store.statements(of: plan)
  }

  func run(_ sql: String, _ values: [SQLValue]) throws {
    let statement = try connection.statement(sql)
    try statement.bind(values)
    try statement.run()
  }

  /// Sets the columns of a relationship in the row of a model.
  func setReference(
    _ property: Int, of model: any PersistentModel, _ plan: EntityPlan, to value: SQLValue
  ) throws {
    let columns = Array(plan.properties[property].columns)
    try run(
      try statements(of: plan).update(columns: columns),
      [value, .integer(model._$modelState.rowID)])
  }

  static func missingStoreRow(_ plan: EntityPlan, _ property: Int) -> SwiftDataError {
    SwiftDataError.missingModelContext.explained(
      "\(plan.name).\(plan.properties[property].name) leads to a model that is in no context."
        + " Insert it before saving.")
  }
}
