import Foundation
import SwiftDataCore
import SwiftDataSQL

extension DefaultStore: BatchWriting {
  package func beginBatch<Model: PersistentModel>(
    of type: Model.Type, plan: EntityPlan, author: String?, keeping kept: [Int]
  ) throws -> any ModelBatch<Model> {
    try UpsertTransaction<Model>(self, plan, author: author, keeping: kept)
  }

  /// Deletes the rows that match a predicate, with what delete rules add.
  ///
  /// - Returns: The number of deleted rows.
  package func delete<Model: PersistentModel>(
    _ model: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool, author: String?,
    _ progress: ((Int) -> Void)?
  ) throws -> Int {
    let plan = try plan(of: model)
    let (count, written) = try withWriter { connection in
      let result = try connection.recordedTransaction(author: author, collectsDeletions: true) {
        let rows = try rows(
          of: model, predicate, includeSubclasses: includeSubclasses, .unknown)
        let deletion = PreparedDeletion(plan: plan, rows: rows)
        let gone = try connection.cancellable(progress) { try delete([deletion], on: connection) }
        try connection.checkForeignKeys()
        return gone.values.reduce(0) { $0 + $1.count }
      }
      attributes.removeGarbage(on: connection)
      return (result.result, result.written)
    }
    recordCommit(written, author: author)
    return count
  }
}
