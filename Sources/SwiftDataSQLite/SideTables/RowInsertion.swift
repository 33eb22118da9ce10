import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Inserts rows of one entity in the transaction of side tables, without models and as long as no row like them is
/// there.
///
/// The rows are in the history as if a context had saved them. Nothing is done for relationships: who uses it gives
/// only rows that have none, or the row ids of their destinations.
package final class RowInsertion {
  private let connection: Connection
  private let plain: Statement
  private let withRowID: String
  /// The id that the next row must have, when SQLite's own choice isn't new.
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
  ///   - arena: Where the bytes of the cells are.
  /// - Returns: The row's id; nil when a row with the same unique values is there, and nothing was written.
  /// - Throws: ``StoreError``, as when a value is missing that can't be.
  package func insert(
    _ cells: UnsafeBufferPointer<_Cell>, arena: UnsafePointer<UInt8>?
  ) throws -> Int64? {
    // Only a real insertion sets it (https://sqlite.org/c3ref/last_insert_rowid.html).
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
    guard rowID != 0 else { return nil }
    nextRowID = nil
    count += 1
    // The history of a long transaction is written in parts.
    if count % 256 == 0 { try connection.recorder?.flush() }
    return rowID
  }
}
