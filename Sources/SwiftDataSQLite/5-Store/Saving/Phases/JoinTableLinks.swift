import SwiftDataCore
import SwiftDataSQL

/// Writes the changed pairs of models to the tables of pairs.
struct JoinTableLinks {
  private let context: SaveContext

  init(_ context: SaveContext) { self.context = context }

  /// Deletes the removed pairs.
  func remove(of models: [any PersistentModel]) throws {
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
          try context.run(statements.delete, [.integer(state.rowID), .integer(rowID)])
        }
      }
    }
  }

  /// Inserts the added pairs; all models have their rows by now.
  func add(of models: [any PersistentModel]) throws {
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
          guard rowID != 0 else { throw SaveContext.missingStoreRow(plan, changes.property) }
          try context.run(statements.insert, [.integer(state.rowID), .integer(rowID)])
        }
      }
    }
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
