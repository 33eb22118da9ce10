import SwiftDataCore

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
  ) throws -> (result: Result, written: HistoryRecorder.RecordedTransaction?) {
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
