import SwiftDataCore
import SwiftDataSQL

/// The numbers by which a store's commits are noticed.
struct StoreState {
  /// The last transaction of the history.
  let transaction: Int64
  let foreign: CommitProgress.Foreign
  private let identifier: [UInt8]?

  var progress: CommitProgress { CommitProgress(transaction: transaction, foreign: foreign) }

  /// The statement, which names the schema, so that it needs no setting of a session.
  static func statement(schema: String) -> String {
    let schema = SQLIdentifier.quoted(schema)
    return "SELECT s.number, f.count, f.last, s.identifier FROM \(schema).\"_store\" AS s,"
      + " (SELECT count(*) AS count, coalesce(max(id), 0) AS last FROM \(schema).\"_foreign\") AS f"
      + " WHERE s.id = 1"
  }

  /// - Returns: nil when the store's row is missing.
  init?(_ result: PostgresResult) {
    guard result.rowCount == 1 else { return nil }
    transaction = result.integer(0, 0) ?? 0
    foreign = CommitProgress.Foreign(
      count: result.integer(0, 1) ?? 0, last: result.integer(0, 2) ?? 0)
    identifier = result.data(0, 3).map { Array($0) }
  }

  func isOf(_ store: [UInt8]) -> Bool { identifier == store }
}
