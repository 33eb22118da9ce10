import SwiftDataCore
import SwiftDataStore

extension Connection {
  /// The maximum number of tries to read a consistent state.
  private static let maximumTries = 4

  /// Reads the current state of commits to the file.
  func commitState(hasHistory: Bool) throws -> CommitState {
    var result = CommitState(count: nil, transaction: 0, unrecorded: 0)
    for _ in 0..<Self.maximumTries {
      let before = commitCount
      let (transaction, unrecorded) = try hasHistory ? historyEnd() : (0, 0)
      // The earlier count: if it is too small, the next comparison checks again.
      result = CommitState(count: before, transaction: transaction, unrecorded: unrecorded)
      if before == commitCount { break }
    }
    return result
  }

  /// One statement, so that both numbers are from one snapshot.
  private func historyEnd() throws -> (transaction: Int64, unrecorded: Int64) {
    let statement = try statement(
      """
      SELECT max(ifnull((SELECT max(number) FROM "_history_transaction"), 0),
          ifnull((SELECT value FROM "_metadata" WHERE key = '\(HistoryTables.markKey)'), 0)),
        ifnull((SELECT value FROM "_metadata" WHERE key = '\(HistoryTables.unrecordedKey)'), 0)
      """)
    defer { statement.reset() }
    guard try statement.step() else { return (0, 0) }
    return (statement.rowID(at: 0), statement.rowID(at: 1))
  }
}
