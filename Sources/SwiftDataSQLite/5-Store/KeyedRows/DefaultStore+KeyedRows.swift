import Foundation
import SwiftDataCore

extension DefaultStore: KeyedRowStore {
  package var supportFolder: URL? {
    if configuration.isStoredInMemoryOnly { return nil }
    let url = configuration.resolvedURL
    return url.deletingLastPathComponent()
      .appending(path: ".\(url.lastPathComponent)_SUPPORT", directoryHint: .isDirectory)
  }

  package func keepsPlainRows(of plan: EntityPlan) -> Bool {
    entities.statements(of: plan)?.codec == nil
  }

  package func readRows<Result>(
    _ body: (any RowReadTransaction) throws -> Result
  ) throws -> Result {
    try withReader { connection in
      try connection.inSnapshot {
        try body(SQLiteRowTransaction(connection: connection, store: self))
      }
    }
  }

  package func writeSideTables<Result>(
    _ body: (any RowWriteTransaction) throws -> Result
  ) throws -> Result {
    try withWriter { connection in
      try connection.transaction {
        let result = try body(SQLiteRowTransaction(connection: connection, store: self))
        try HistoryTables.countUnrecordedCommit(on: connection)
        return result
      }
    }
  }

  package func writeRows<Result>(
    author: String, _ body: (any RowWriteTransaction) throws -> Result
  ) throws -> Result {
    let (result, written) = try withWriter { connection in
      try connection.recordedTransaction(author: author) {
        let result = try body(SQLiteRowTransaction(connection: connection, store: self))
        if connection.recorder?.recordedCount ?? 0 == 0 {
          try HistoryTables.countUnrecordedCommit(on: connection)
        }
        return result
      }
    }
    if let written { recordCommit(written, author: author) }
    return result
  }
}
