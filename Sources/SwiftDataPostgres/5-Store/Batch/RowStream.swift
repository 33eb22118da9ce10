import SwiftDataCore

/// Inserts rows one after the other while the program makes them, as a part of a transaction that can end without
/// effect by itself.
struct RowStream {
  private let connection: PostgresConnection
  private var writer: PostgresCopyWriter
  private let rowIDs: [Int64]
  private var count = 0
  /// The IDs that no row has got, when the part is over.
  private(set) var unusedRowIDs: ArraySlice<Int64>

  /// Begins the part.
  ///
  /// - Parameter rowIDs: The IDs of the rows.
  init(into plan: EntityPlan, _ rowIDs: [Int64], on connection: PostgresConnection) throws {
    self.connection = connection
    self.rowIDs = rowIDs
    unusedRowIDs = rowIDs[...]
    try connection.begin()
    do { writer = try connection.beginCopy(into: plan) } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Whether no ID is left.
  var isFull: Bool { count == rowIDs.count }

  /// Sends a row.
  mutating func append(_ row: _RowWriter) throws {
    let rowID = rowIDs[count]
    try row.arena.withUnsafeBytes { try writer.append(rowID: rowID, row.cells, arena: $0) }
    count += 1
  }

  /// Ends the part.
  ///
  /// - Returns: The IDs of the rows.
  /// - Throws: The error of any row; then nothing is inserted.
  mutating func end() throws -> [Int64] {
    do {
      _ = try connection.endCopy(&writer)
      try connection.commit()
    } catch {
      connection.rollBack()
      throw error
    }
    unusedRowIDs = rowIDs[count...]
    return Array(rowIDs[..<count])
  }
}
