import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// The writes of a save besides the rows: tables of pairs, and the order that delete rules require.
extension SaveOperation {
  /// Removes links that a deletion in the same save would follow.
  func unlink(_ models: [any PersistentModel]) throws {
    hasUnlinked = true
    for model in models {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      for index in plan.relationships
      where state.changes.contains(index) && plan.properties[index].relationship?.storage == .column
      {
        // The value was set to the former one: the update won't write it.
        if isAsCommitted(model, index, plan) { continue }
        let columns = Array(plan.properties[index].columns)
        try run(
          try store.statements(of: plan).update(columns: columns), [.null, .integer(state.rowID)])
      }
    }
    try unlinkPairs(models)
  }

  private func isAsCommitted(
    _ model: any PersistentModel, _ index: Int, _ plan: EntityPlan
  ) -> Bool {
    let state = model._$modelState
    var row = _RowWriter(plan: plan)
    row.begin(state)
    row.property = index
    model._$encode(index, into: &row)
    return row.isAsCommitted(index, state, at: 0) ?? false
  }

  /// Sets the keys to NULL in models that are deleted together with the destinations of their
  /// `deny` rule.
  func releaseDenied(_ models: [any PersistentModel]) throws {
    for model in models {
      guard let plan = model._$modelState.plan else { continue }
      for index in plan.relationships {
        guard let relationship = plan.properties[index].relationship,
          relationship.deleteRule == .deny, relationship.storage == .column
        else { continue }
        let columns = Array(plan.properties[index].columns)
        try run(
          try store.statements(of: plan).update(columns: columns),
          [.null, .integer(model._$modelState.rowID)])
      }
    }
  }

  /// Deletes the removed pairs.
  func unlinkPairs(_ models: [any PersistentModel]) throws {
    for model in models {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      for changes in state.linkChanges where !changes.unsavedRemoved.isEmpty {
        guard let table = plan.properties[changes.property].relationship?.joinTable else {
          continue
        }
        let statements = JoinStatements(table)
        for destination in changes.unsavedRemoved.models {
          let rowID = destination._$modelState.rowID
          guard rowID != 0, state.rowID != 0 else { continue }
          try run(statements.delete, [.integer(state.rowID), .integer(rowID)])
        }
      }
    }
  }

  /// Inserts the added pairs; all models have their rows by now.
  func link(_ models: [any PersistentModel]) throws {
    for model in models {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      for changes in state.linkChanges where !changes.unsavedAdded.isEmpty {
        guard let table = plan.properties[changes.property].relationship?.joinTable else {
          continue
        }
        let statements = JoinStatements(table)
        for destination in changes.unsavedAdded.models where !destination._$modelState.isDeleted {
          let rowID = destination._$modelState.rowID
          guard rowID != 0 else { throw Self.missingStoreRow(plan, changes.property) }
          try run(statements.insert, [.integer(state.rowID), .integer(rowID)])
        }
      }
    }
  }

  static func missingStoreRow(_ plan: EntityPlan, _ property: Int) -> SwiftDataError {
    SwiftDataError.missingModelContext.explained(
      "\(plan.name).\(plan.properties[property].name) leads to a model that is in no context."
        + " Insert it before saving.")
  }

  func run(_ sql: String, _ values: [SQLValue]) throws {
    let statement = try connection.statement(sql)
    try statement.bind(values)
    try statement.run()
  }
}

/// The statements on a table of pairs, from one of its ends.
struct JoinStatements {
  let insert: String
  let delete: String

  init(_ table: RelationshipPlan.JoinTable) {
    let name = SQLIdentifier.quoted(table.name)
    let owner = SQLIdentifier.quoted(table.ownerColumn)
    let destination = SQLIdentifier.quoted(table.destinationColumn)
    insert = "INSERT OR IGNORE INTO \(name) (\(owner), \(destination)) VALUES (?, ?)"
    delete = "DELETE FROM \(name) WHERE \(owner) = ? AND \(destination) = ?"
  }
}
