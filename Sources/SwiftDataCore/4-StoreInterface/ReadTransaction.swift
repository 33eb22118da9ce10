/// A read transaction on a store: all queries see the same commits.
package protocol ReadTransaction {
  /// Calls `body` with the changes of some entities in every transaction after a number, in order.
  ///
  /// - Parameters:
  ///   - number: The number of the transaction before the first one.
  ///   - entities: The names of the entities.
  /// - Returns: The number of the last transaction.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` as a fetch of history does.
  func forEachChange(
    after number: Int64, of entities: Set<String>, _ body: (ChangedRows) throws -> Void
  ) throws -> Int64

  /// Calls `body` with the row IDs that a query returns, in order, and a text of each row.
  ///
  /// - Parameters:
  ///   - rows: The only rows that may be returned; nil for all. They are looked up one by one, without searching an
  ///     index for the query's condition.
  ///   - text: The key path of the text; nil when none is needed. A missing text is passed as an empty one.
  /// - Returns: False when the rows don't contain the text unchanged, and `body` wasn't called.
  func forEachRow(
    of query: StoreQuery, among rows: [Int64]?, text: AnyKeyPath?,
    _ body: (Int64, UnsafeBufferPointer<UInt8>) -> Void
  ) throws -> Bool
}
