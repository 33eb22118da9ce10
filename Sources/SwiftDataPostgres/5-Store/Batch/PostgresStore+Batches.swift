import Foundation
import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: BatchWriting {
  /// The number of times that a transaction is run which others disturb.
  private static var maximumAttempts: Int { 5 }

  package func beginBatch<Model: PersistentModel>(
    of type: Model.Type, plan: EntityPlan, author: String?, keeping kept: [Int]
  ) throws -> any ModelBatch<Model> {
    try requireWritable()
    return UpsertBatch<Model>(self, plan, author: author, keeping: kept)
  }

  package func delete<Model: PersistentModel>(
    _ model: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool, author: String?,
    _ progress: ((Int) -> Void)?
  ) throws -> Int {
    let plan = try plan(of: model)
    let deleted = try writing { connection in
      let rows = try lockedRows(
        of: model, predicate, includeSubclasses: includeSubclasses, on: connection)
      var deletion = RowDeletion(self, on: connection)
      return try deletion.run(plan, rows)
    }
    let count = deleted.values.reduce(0) { $0 + $1.count }
    progress?(count)
    // Delete rules change rows of other classes, too.
    if count > 0 { announceCommit(of: nil, author: author) }
    return count
  }

  package func metadata(forKey key: String) throws -> Data? {
    try withReader { try StoreMetadata.value(forKey: key, on: $0) }
  }

  /// Does nothing: other writers don't wait for a batch, unless they write the same rows.
  package func beginBatchOnThread() {}
  package func endBatchOnThread() {}

  // MARK: - Transactions

  /// Runs `body` in a transaction that writes, again when others disturb it.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; then nothing has changed.
  func writing<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    try requireWritable()
    var attempt = 1
    while true {
      try Task.checkCancellation()
      var isCommitting = false
      do {
        return try withConnection { connection in
          try connection.transaction {
            let result = try body(connection)
            try connection.run("SET CONSTRAINTS ALL IMMEDIATE")
            try Task.checkCancellation()
            isCommitting = true
            return result
          }
        }
      } catch let error as StoreError where error.isRepeatable && !isCommitting {
        attempt += 1
        if attempt > Self.maximumAttempts { throw error }
      }
    }
  }

  /// Counts a commit and posts it. Call it when the connection is free again.
  func announceCommit(of entities: Set<String>?, author: String?) {
    _ = recordCommit()
    commits.post(
      StoreCommit(storeIdentifier: identifier, entities: entities, author: author))
  }

  /// Returns a connection to the store's schema until ``giveBack(_:)``.
  func takeConnection() throws -> PostgresConnection {
    guard case .pool(let pool) = connections else {
      throw MigrationError(
        .unavailableInStage, path: address,
        explanation:
          "BatchUpsert has a transaction of its own, which can't be a part of a migration."
          + " Insert the models into the stage's context.")
    }
    let connection = try pool.take()
    do {
      try use(connection)
    } catch {
      pool.giveBack(connection)
      throw error
    }
    return connection
  }

  func giveBack(_ connection: PostgresConnection) {
    if case .pool(let pool) = connections { pool.giveBack(connection) }
  }
}
