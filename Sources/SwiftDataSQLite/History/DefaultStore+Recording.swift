import SwiftDataCore

extension Connection {
  /// Runs `body` in a transaction and writes what it did into the history: committed together when it returns,
  /// rolled back when it throws.
  ///
  /// - Parameters:
  ///   - collectsDeletions: Whether the rows that go are wanted.
  ///   - sortsRows: Whether many rows are sorted, for which the temporary database in memory takes an allocation each.
  ///     Less than a page cache never reaches a file anyway.
  /// - Returns: The result of `body`, and what came into the history; nil when no model changed.
  func recordedTransaction<Result>(
    author: String?, collectsDeletions: Bool = false, sortsRows: Bool = false,
    _ body: () throws -> Result
  ) throws -> (result: Result, written: HistoryRecorder.Written?) {
    if sortsRows {
      try execute("PRAGMA temp_store = FILE")
      let result = Swift.Result {
        try recordedTransaction(author: author, collectsDeletions: collectsDeletions, body)
      }
      try execute("PRAGMA temp_store = MEMORY")
      try setPageCache(kibibytes: memory.writingKibibytes)
      return try result.get()
    }
    guard let recorder else { return (try transaction(body), nil) }
    defer {
      recorder.discard()
      recorder.settle()
    }
    return try transaction {
      recorder.begin()
      recorder.collectsDeletions = collectsDeletions
      let result = try body()
      return (result, try recorder.finish(author: author))
    }
  }
}

extension DefaultStore {
  /// Lets everything that a connection changes from now on come into the history, and lets it change nothing when
  /// the file has other tables by then.
  func record(on connection: Connection) {
    connection.tables = TableWatch(hashes, cookie: nil)
    connection.recorder = historyLayouts.map { layouts in
      HistoryRecorder(
        layouts, retention: configuration.historyRetention, monitor: monitor, on: connection)
    }
  }

  /// Counts a commit and tells of it. To be called when the write connection is free again.
  ///
  /// - Parameter context: The context that saved.
  @discardableResult
  func note(
    _ written: HistoryRecorder.Written?, author: String?, context: EditingState.ID? = nil
  ) -> UInt64 {
    let generation = monitor.noteOwn(written?.number)
    if let written {
      commits.post(
        StoreCommit(
          storeIdentifier: identifier, entities: written.entities, author: author,
          token: token(after: written.number), context: context))
    }
    return generation
  }

  func token(after number: Int64) -> DefaultHistoryToken {
    DefaultHistoryToken(store: identifier, transaction: number)
  }
}
