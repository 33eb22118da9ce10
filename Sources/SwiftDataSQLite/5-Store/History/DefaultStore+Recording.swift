import SwiftDataCore
import SwiftDataSQL

extension DefaultStore {
  /// Records all later changes of a connection in the history, and prevents changes when the file has other tables by
  /// then.
  func record(on connection: Connection) {
    connection.schemaGuard = SchemaVersionGuard(hashes, cookie: nil)
    connection.textIndices = textIndices
    connection.recorder = historyLayouts.map { layouts in
      HistoryRecorder(
        layouts, retention: configuration.historyRetention, monitor: monitor, on: connection)
    }
  }

  /// Counts a commit and posts it. Call it when the write connection is free again.
  func recordCommit(_ written: HistoryRecorder.RecordedTransaction?, author: String?) {
    _ = monitor.recordOwnCommit(written?.number)
    if let written { post(written, author: author) }
  }

  /// Counts a context's commit and posts it, immediately or when all stores that were saved together have committed.
  func recordCommit(_ written: HistoryRecorder.RecordedTransaction?, of changes: StoreChanges)
    -> UInt64
  {
    let generation = monitor.recordOwnCommit(written?.number)
    if let written {
      let context = changes.editingState.id
      changes.afterCommit { self.post(written, author: changes.author, context: context) }
    }
    return generation
  }

  private func post(
    _ written: HistoryRecorder.RecordedTransaction, author: String?, context: EditingState.ID? = nil
  ) {
    commits.post(
      StoreCommit(
        storeIdentifier: identifier, entities: written.entities, author: author,
        token: token(after: written.number), context: context))
  }

  func token(after number: Int64) -> DefaultHistoryToken {
    DefaultHistoryToken(store: identifier, transaction: number)
  }
}
