import Foundation
import SwiftDataCore

/// The rows that a batch on a store in memory will write.
///
/// A database in memory has no write-ahead log: an open write transaction would lock its readers out for as long as a
/// download takes. So the batch works on a copy, which determines the outcome of each upsert, and the rows written
/// there are written to the store itself in one short transaction at the end.
struct ScratchJournal {
  var rows: [RowCopy] = []
  var metadata: [String: Data?] = [:]
}

extension DefaultStore {
  /// A connection to a private copy of the database.
  func scratchCopy() throws -> Connection {
    let copy = try Connection(
      .memory(name: "swiftdata-scratch-\(UUID().uuidString)"), role: .writer, isReadOnly: false)
    return try withReader { source in
      try source.beginSnapshot()
      defer { source.rollback() }
      try source.copy(into: copy.handle, path: copy.path)
      return copy
    }
  }

  /// Writes the rows that a batch collected.
  func replay(
    _ journal: ScratchJournal, of plan: EntityPlan, keeping kept: [Int], author: String?
  ) throws -> HistoryRecorder.RecordedTransaction? {
    try withWriter { connection in
      let table = TableWriter(
        connection: connection, statements: try statements(of: plan),
        existing: .updated(keeping: kept), needsRowIDs: false)
      return try connection.recordedTransaction(author: author) {
        for row in journal.rows {
          _ = try table.write(row)
          try connection.recorder?.flush()
        }
        for (key, value) in journal.metadata {
          try StoreMetadata.set(value, forKey: key, on: connection)
        }
      }.written
    }
  }
}
