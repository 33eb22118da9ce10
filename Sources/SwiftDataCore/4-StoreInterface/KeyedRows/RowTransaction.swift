/// Reads the tables of a toolkit.
package protocol SideTableReading {
  /// Calls `body` with the values of each row.
  func forEachRow(_ query: SideTableQuery, _ body: ([ColumnValue]) throws -> Void) throws

  /// Calls `body` with the values of each row that has one of the values in a column. The query's order is that of the
  /// rows of one value, and it has no limit.
  func forEachRow(
    _ query: SideTableQuery, where column: String, in values: [ColumnValue],
    _ body: ([ColumnValue]) throws -> Void
  ) throws

  /// Returns the number of rows that meet a condition.
  func count(of table: SideTable, where condition: SideTableCondition?) throws -> Int

  /// Returns the names of a table's columns; none when there is no such table.
  func columnNames(ofSideTable name: String) throws -> [String]
}

/// Reads one state of the models' rows, of the side tables and of the history.
package protocol RowReadTransaction: KeyedRowReading, SideTableReading {
  /// Returns the number of the history's last transaction; the current one isn't counted before its end.
  func lastTransaction() throws -> Int64

  /// Returns values that toolkits keep under keys, by the bytes of the keys.
  ///
  /// - Parameters:
  ///   - key: The key before the first one; nil begins with the first of all.
  ///   - limit: The maximum number of values.
  func metadata(after key: String?, limit: Int) throws -> [(key: String, value: [UInt8])]

  /// Whether the history after a transaction still exists, and was written only by `author`.
  func history(after number: Int64, isOnlyBy author: String) throws -> Bool
}

/// The treatment of a row with the same primary key as one that is inserted.
package enum SideTableConflict: Hashable, Sendable {
  /// The row is left alone.
  case keep
  /// The row is replaced.
  case replace
  /// The row gets the new values. Some columns have rules of their own.
  case merge([String: SideTableMerge])
}

/// The value of a column after a row has been merged with a new one.
package enum SideTableMerge: Hashable, Sendable {
  /// The new value, or the old one if the new one is NULL.
  case newUnlessNull
  /// The old value, or NULL if the new one is NULL.
  case oldUnlessNewIsNull
}

/// Writes rows of models and side tables in one transaction.
package protocol RowWriteTransaction: RowReadTransaction {
  /// Creates a table and its indices where they are missing.
  func create(_ table: SideTable) throws

  /// Removes a table with its indices.
  func removeSideTable(_ name: String) throws

  /// Inserts rows into a side table.
  ///
  /// - Parameter existing: The treatment of rows with the same primary key; nil when there can't be any.
  /// - Returns: The number of rows that were inserted or changed.
  @discardableResult
  func insert(
    _ rows: SideTableRows, into table: SideTable, existing: SideTableConflict?
  ) throws -> Int

  /// Changes columns of rows of a side table.
  ///
  /// - Parameters:
  ///   - rows: The new values, followed by the values of the columns that select the row.
  ///   - keys: The names of the latter columns.
  func update(_ rows: SideTableRows, of table: SideTable, matching keys: [String]) throws

  /// Removes the rows of a side table that have the values of one of `keys` in the columns of `keys`.
  func delete(_ keys: SideTableRows, from table: SideTable) throws

  /// Removes the rows of a side table that meet a condition; nil for all.
  func delete(from table: SideTable, where condition: SideTableCondition?) throws

  /// Sets a column of rows of an entity's table. The transaction must be recorded in the history.
  ///
  /// - Parameter column: The position of the column in the plan.
  func set(
    _ values: [(rowID: Int64, value: ColumnValue)], inColumn column: Int, of plan: EntityPlan
  ) throws

  /// Inserts rows of an entity, unless a row with the same unique values exists. The transaction must be recorded in
  /// the history, and the rows are in it as if a context had saved them. Relationships aren't handled.
  ///
  /// - Parameters:
  ///   - rows: The numbers of the rows to insert.
  ///   - cells: All columns of all rows in sequence.
  ///   - arena: The bytes of the cells.
  /// - Returns: The row IDs. nil when a row existed: then the transaction has to be abandoned.
  /// - Throws: The store's error, for example when a required value is missing.
  func insertNew(
    _ rows: [Int], of plan: EntityPlan, cells: [_Cell], arena: [UInt8]
  ) throws -> [Int64]?

  /// Records how far a consumer of the history has read, in the same transaction.
  func acknowledgeHistory(through number: Int64, by consumer: String) throws
}
