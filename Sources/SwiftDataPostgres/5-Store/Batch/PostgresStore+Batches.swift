import Foundation
import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: BatchWriting {
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
    let deleted = try writing(author: author) { connection, recording in
      try self.delete(
        model, predicate, includeSubclasses: includeSubclasses, on: connection, recording)
    }
    let count = deleted.values.reduce(0) { $0 + $1.count }
    progress?(count)
    return count
  }

  package func metadata(forKey key: String) throws -> Data? {
    try withConnection { connection in
      try connection.reading { try StoreMetadata.value(forKey: key, on: connection) }
    }
  }

  /// Does nothing: other writers don't wait for a batch, unless they write the same rows.
  package func beginBatchOnThread() {}
  package func endBatchOnThread() {}

  // MARK: - Transactions

  /// Runs `body` in a transaction that writes and may take any time, again when others disturb it.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; then nothing has changed.
  func writing<Value>(
    author: String?, _ body: @escaping (PostgresConnection, HistoryRecording) throws -> Value
  ) throws -> Value {
    try writeAndPost(author: author) { connection, recording in
      try Task.checkCancellation()
      try self.permitAnyTime(connection)
      let value = try body(connection, recording)
      try Task.checkCancellation()
      return value
    }
  }

  /// Lets the statements of the open transaction take any time. A part of another transaction leaves its settings
  /// alone; those of a migration permit it.
  func permitAnyTime(_ connection: PostgresConnection) throws {
    if !connections.isLent {
      try connection.runLater(PostgresCommand("SET LOCAL statement_timeout = 0"))
    }
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
