import Foundation
import SwiftDataCore
import SwiftDataStore

/// Reads the history for its followers.
extension PostgresStore: NumberedHistory {
  /// The maximum number of transactions in a page.
  private static let pageLength = 32
  /// The number of changes with which a page ends, after the transaction that reaches it.
  private static let pageChanges = 1_000

  package func historyPage(after number: Int64) throws -> [DefaultHistoryTransaction] {
    try withHistory { connection in
      try metadata(connection).check(number, of: name)
      let conditions = try conditions(
        HistoryDescriptor(predicate: #Predicate { $0.transactionIdentifier > number }))
      var page: [DefaultHistoryTransaction] = []
      var changes = 0
      try HistoryReader(self, connection).forEach(conditions, pageLength: Self.pageLength) {
        page.append($0)
        changes += $0.changes.count
        return page.count < Self.pageLength && changes < Self.pageChanges
      }
      return page
    }
  }

  package func forEachChange(
    after number: Int64, _ body: (ChangedRows) throws -> Void
  ) throws -> Int64 {
    let known = monitor.position.transaction
    let recent = recent.transactions(after: number)
    let decoder = HistoryDecoder(self, layouts)
    for (number, parts) in recent {
      for part in parts {
        try decoder.forEachRun(
          part.bytes, transaction: number, layout: part.layout, of: nil, body)
      }
    }
    let last = recent.last?.number ?? number
    if !recent.isEmpty, last >= known { return last }
    return try withHistory { try forEachChange(after: last, of: nil, on: $0, body) }
  }

  /// - Parameter entities: The names of the entities whose changes matter; nil for all.
  func forEachChange(
    after number: Int64, of entities: Set<String>?, on connection: PostgresConnection,
    _ body: (ChangedRows) throws -> Void
  ) throws -> Int64 {
    let metadata = metadata(connection)
    try metadata.check(number, of: name)
    let last = try metadata.ends().last
    guard last > number else { return last }
    try HistoryReader(self, connection).forEachRun(after: number, of: entities, body)
    return last
  }

  // MARK: - Consumers

  package func historyConsumers() throws -> [StoredHistoryConsumer] {
    try withConnection { connection in
      try connection.reading { try metadata(connection).consumers() }
    }
  }

  package func change(
    historyConsumer name: String, _ change: HistoryConsumerChange
  ) throws -> StoredHistoryConsumer? {
    if case .register(nil) = change {
      // Every start of a program registers its consumers, so this needs no write when the consumer exists.
      let known = try historyConsumers().first { $0.name == name }
      if let known { return known }
    }
    try requireWritable()
    return try withConnection { connection in
      try connection.transaction { try metadata(connection).apply(change, to: name) }
    }
  }
}
