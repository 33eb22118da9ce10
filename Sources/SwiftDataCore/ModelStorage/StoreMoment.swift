/// A store as it is at one moment: what is asked of it sees the same commits.
package protocol StoreMoment {
  /// Calls `body` with the changes of some entities in every transaction behind a number, in order.
  ///
  /// - Parameters:
  ///   - number: Where to begin.
  ///   - entities: The names of the entities.
  /// - Returns: The number of the last transaction.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` as a fetch of history does.
  func forEachChange(
    after number: Int64, of entities: Set<String>, _ body: (ChangedRows) throws -> Void
  ) throws -> Int64

  /// Calls `body` with the row ids that a query gives, in order, and a text of each row.
  ///
  /// - Parameters:
  ///   - rows: The rows that may be among them; nil for all. They are looked up one by one, whatever the query says.
  ///   - text: What leads to the text; nil when none is wanted. A missing text is an empty one.
  /// - Returns: False when the text isn't in the rows as it is, and nothing was called.
  func forEachRow(
    of query: StoreQuery, among rows: [Int64]?, text: AnyKeyPath?,
    _ body: (Int64, UnsafeBufferPointer<UInt8>) -> Void
  ) throws -> Bool
}

extension ModelStore {
  package func withMoment(_ body: (any StoreMoment) throws -> Void) throws -> Bool { false }
}
