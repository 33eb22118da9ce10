import SwiftDataCore
import SwiftDataSQL

/// The numbers by which a store's commits are noticed.
struct StoreState {
  /// The last transaction of the history.
  let transaction: Int64
  let foreign: CommitProgress.Foreign
  private let identifier: [UInt8]?

  var progress: CommitProgress { CommitProgress(transaction: transaction, foreign: foreign) }

  /// The number of noted transactions among which late ones are noticed. One that is committed behind more of them is
  /// noticed with the next one.
  static let noteCount = 1_000

  /// The IDs of the last notes, which an index gives, however many there are.
  static func lastNotes(in table: String) -> String {
    "SELECT id FROM \(table) ORDER BY id DESC LIMIT \(noteCount)"
  }

  /// The statement, which names the schema, so that it needs no setting of a session.
  static func statement(schema: String) -> String {
    let schema = SQLIdentifier.quoted(schema)
    return "SELECT s.number, f.sum, f.last, s.identifier FROM \(schema).\"_store\" AS s,"
      + " (SELECT coalesce(sum(id), 0)::bigint AS sum, coalesce(max(id), 0) AS last"
      + " FROM (\(lastNotes(in: "\(schema).\"_foreign\""))) AS n) AS f WHERE s.id = 1"
  }

  /// - Returns: nil when the store's row is missing.
  init?(_ result: PostgresResult) {
    guard result.rowCount == 1 else { return nil }
    transaction = result.integer(0, 0) ?? 0
    foreign = CommitProgress.Foreign(
      sum: result.integer(0, 1) ?? 0, last: result.integer(0, 2) ?? 0)
    identifier = result.data(0, 3).map { Array($0) }
  }

  func isOf(_ store: [UInt8]) -> Bool { identifier == store }
}
