import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// The hooks of a store's writing connections: each change is recorded in the history and updates the text indices, and
/// is refused when the file has other tables by then.
struct ChangeRecording: Sendable {
  /// nil when the store is read-only.
  let layouts: HistoryLayouts?
  let retention: HistoryRetention
  /// The text indices, which every writing connection of the store updates.
  let textIndices: [SearchTables.Table]
  /// The forms of the entities as they are in the file.
  let forms: EntityForms
  let monitor: CommitMonitor

  /// Records all later changes of a connection.
  func begin(on connection: Connection) {
    connection.textIndices = textIndices
    connection.recorder = layouts.map { layouts in
      HistoryRecorder(layouts, retention: retention, monitor: monitor, on: connection)
    }
  }

  /// Prevents changes by a connection when another program has migrated the file.
  ///
  /// - Parameter cookie: The counter for tables that are known to fit; nil to check in the first transaction.
  func guardTables(of connection: Connection, cookie: Int64?) {
    connection.schemaGuard = SchemaVersionGuard(forms, cookie: cookie)
  }
}
