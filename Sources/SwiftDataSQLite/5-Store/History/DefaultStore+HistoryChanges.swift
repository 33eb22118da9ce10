import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// Reads the history for its followers.
extension DefaultStore: NumberedHistory {
  /// The maximum number of transactions in a page.
  private static let pageLength = 32
  /// The number of changes with which a page ends, after the transaction that reaches it.
  private static let pageChanges = 1_000

  package func historyPage(after number: Int64) throws -> [DefaultHistoryTransaction] {
    try withHistory { connection in
      try check(number, connection)
      let conditions = try HistoryConditions(
        #Predicate { $0.transactionIdentifier > number }, store: identifier)
      var page: [DefaultHistoryTransaction] = []
      var changes = 0
      try HistoryReader(self, connection).forEach(conditions) { transaction in
        page.append(transaction)
        changes += transaction.changes.count
        return page.count < Self.pageLength && changes < Self.pageChanges
      }
      return page
    } ?? []
  }

  package func forEachChange(
    after number: Int64, _ body: (ChangedRows) throws -> Void
  ) throws -> Int64 {
    try withHistory { try forEachChange(after: number, of: nil, on: $0, body) } ?? number
  }

  /// - Parameter entities: The names of the entities whose changes matter; nil for all.
  func forEachChange(
    after number: Int64, of entities: Set<String>?, on connection: Connection,
    _ body: (ChangedRows) throws -> Void
  ) throws -> Int64 {
    try check(number, connection)
    let last = try HistoryTables.last(on: connection).number
    guard last > number else { return last }
    try HistoryReader(self, connection).forEachRun(after: number, of: entities, body)
    return last
  }

  // MARK: - Consumers

  package func historyConsumers() throws -> [StoredHistoryConsumer] {
    try withHistory { try HistoryConsumers.all(on: $0) } ?? []
  }

  package func change(
    historyConsumer name: String, _ change: HistoryConsumerChange
  ) throws -> StoredHistoryConsumer? {
    guard hasHistory else { return nil }
    if case .register(nil) = change {
      // Every start of a program registers its consumers, so this needs no write when the consumer exists.
      let known = try historyConsumers().first { $0.name == name }
      if let known { return known }
    }
    return try withWriter { connection in
      try connection.transaction {
        try HistoryTables.countUnrecordedCommit(on: connection)
        return try HistoryConsumers.apply(change, to: name, on: connection)
      }
    }
  }
}

extension HistoryReader {
  fileprivate func forEachRun(
    after number: Int64, of entities: Set<String>?, _ body: (ChangedRows) throws -> Void
  ) throws {
    let statement = try connection.statement(
      "SELECT number, layout, changes FROM \"_history_change\" WHERE number > ?"
        + " ORDER BY number, layout, part")
    defer { statement.reset() }
    try statement.bind([.integer(number)])
    while try statement.step() {
      try decoder.forEachRun(
        Self.changes(statement, at: 2), transaction: statement.rowID(),
        layout: statement.rowID(at: 1), of: entities, body)
    }
  }
}
