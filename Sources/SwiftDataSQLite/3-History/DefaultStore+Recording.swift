import SwiftDataCore
import SwiftDataSQL

extension Connection {
  /// Runs `body` in a transaction and records its changes in the history: committed together when it returns, rolled
  /// back when it throws.
  ///
  /// - Parameters:
  ///   - collectsDeletions: Whether the deleted rows are needed.
  ///   - sortsRows: Whether many rows are sorted, for which a temporary database in memory takes an allocation for each
  ///     row. With files, less than a page cache never reaches the disk.
  ///   - beforeCommit: Called immediately before the commit.
  /// - Returns: The result of `body`, and the recorded transaction; nil when no model changed.
  func recordedTransaction<Result>(
    author: String?, collectsDeletions: Bool = false, sortsRows: Bool = false,
    beforeCommit: (() throws -> Void)? = nil, _ body: () throws -> Result
  ) throws -> (result: Result, written: HistoryRecorder.Written?) {
    if sortsRows {
      try execute("PRAGMA temp_store = FILE")
      let result = Swift.Result {
        try recordedTransaction(
          author: author, collectsDeletions: collectsDeletions, beforeCommit: beforeCommit, body)
      }
      try execute("PRAGMA temp_store = MEMORY")
      try setPageCache(kibibytes: memory.writingKibibytes)
      return try result.get()
    }
    guard let recorder else {
      return try transaction {
        let result = try body()
        try beforeCommit?()
        return (result, nil)
      }
    }
    defer {
      recorder.discard()
      recorder.settle()
    }
    return try transaction {
      recorder.begin()
      recorder.collectsDeletions = collectsDeletions
      let result = try body()
      let written = try recorder.finish(author: author)
      if written != nil { try refreshTextIndices() }
      try beforeCommit?()
      return (result, written)
    }
  }
}

extension DefaultStore {
  /// Records all later changes of a connection in the history, and prevents changes when the file has other tables by
  /// then.
  func record(on connection: Connection) {
    connection.tables = TableWatch(hashes, cookie: nil)
    connection.textIndices = textIndices
    connection.recorder = historyLayouts.map { layouts in
      HistoryRecorder(
        layouts, retention: configuration.historyRetention, monitor: monitor, on: connection)
    }
  }

  /// Counts a commit and posts it. Call it when the write connection is free again.
  func note(_ written: HistoryRecorder.Written?, author: String?) {
    _ = monitor.noteOwn(written?.number)
    if let written { post(written, author: author) }
  }

  /// Counts a context's commit and posts it, immediately or when all stores that were saved together have committed.
  func note(_ written: HistoryRecorder.Written?, of changes: StoreChanges) -> UInt64 {
    let generation = monitor.noteOwn(written?.number)
    if let written {
      let context = changes.editingState.id
      changes.afterCommit { self.post(written, author: changes.author, context: context) }
    }
    return generation
  }

  private func post(
    _ written: HistoryRecorder.Written, author: String?, context: EditingState.ID? = nil
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
