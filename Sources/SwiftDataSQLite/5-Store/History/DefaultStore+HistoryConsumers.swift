import SwiftDataCore

extension DefaultStore {
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
