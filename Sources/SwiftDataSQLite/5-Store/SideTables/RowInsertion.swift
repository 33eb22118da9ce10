import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Inserts rows of one entity in the transaction of side tables, without models, unless a row with the same unique
/// values exists.
///
/// The rows are in the history as if a context had saved them. Relationships aren't handled: the caller passes only
/// rows without any, or with the row IDs of their destinations.
package final class RowInsertion {
  private let connection: Connection
  private let plain: Statement
  private let withRowID: String
  /// The ID that the next row must have, when the ID that SQLite chooses was already used.
  private var nextRowID: Int64?
  private var count = 0

  init(_ plan: EntityPlan, _ statements: EntityStatements, on connection: Connection) throws {
    self.connection = connection
    let inserts = statements.insertsIfNew
    plain = try connection.statement(inserts.plain)
    withRowID = inserts.withRowID
    nextRowID = try connection.integer(RowNumbers.next(of: plan))
  }

  /// Inserts a row.
  ///
  /// - Parameters:
  ///   - cells: All columns of the entity, in order.
  ///   - arena: The bytes of the cells.
  /// - Returns: ``WriteOutcome/unchanged(_:)`` when a row with the same unique values exists.
  /// - Throws: ``StoreError``, for example when a required value is missing.
  package func insert(
    _ cells: UnsafeBufferPointer<_Cell>, arena: UnsafePointer<UInt8>?
  ) throws -> WriteOutcome {
    // Set only by an actual insertion (https://sqlite.org/c3ref/last_insert_rowid.html).
    sqlite3_set_last_insert_rowid(connection.handle, 0)
    if let nextRowID {
      let statement = try connection.statement(withRowID)
      try statement.bind(.integer(nextRowID), at: 1)
      try statement.bind(cells, arena: arena, at: 2)
      try statement.run()
    } else {
      try plain.bind(cells, arena: arena, at: 1)
      try plain.run()
    }
    let rowID = sqlite3_last_insert_rowid(connection.handle)
    guard rowID != 0 else { return .unchanged(0) }
    nextRowID = nil
    count += 1
    // The history of a long transaction is written in parts.
    if count % 256 == 0 { try connection.recorder?.flush() }
    return .inserted(rowID)
  }
}
