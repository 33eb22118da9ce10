import SwiftDataCore
import SwiftDataSQL

/// The facts that decide the ID of a table's next new row; valid no longer than a transaction.
enum RowNumbering {
  case unknown
  /// The row with the highest ID was deleted: the next row gets this ID.
  case next(Int64)
  /// SQLite chooses the ID.
  case automatic

  init(of plan: EntityPlan, on connection: Connection) throws {
    let next = try connection.integer(RowNumbers.next(of: plan))
    self = next.map { .next($0) } ?? .automatic
  }
}
