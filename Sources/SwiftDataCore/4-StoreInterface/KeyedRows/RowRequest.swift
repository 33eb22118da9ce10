/// A column of an entity's table.
package enum RowColumn: Hashable, Sendable {
  /// The row ID.
  case rowID
  /// The name of the row's class; NULL in the table of a class without inheritance.
  case entity
  /// A column of the entity, by its position in the plan.
  case column(Int)
}

/// The rows and columns to read from an entity's table.
package struct RowRequest: Sendable {
  package let plan: EntityPlan
  package let columns: [RowColumn]
  /// Whether the rows of other classes in the table are left out.
  package let isExact: Bool

  package init(_ plan: EntityPlan, _ columns: [RowColumn], isExact: Bool = false) {
    self.plan = plan
    self.columns = columns
    self.isExact = isExact
  }
}

/// Reads the rows of entities by the values of columns, many with each query.
///
/// Rows are passed as cells in the requested columns' order; they are valid during the call. Rows of one value are in
/// ascending order of their IDs. Values are those of the table: encrypted ones are encrypted, and one in a separate
/// file is the file's name.
package protocol KeyedRowReading {
  /// Returns the IDs of the first rows of exactly a class whose IDs are greater than another one, ascending.
  func rowIDs(of plan: EntityPlan, after rowID: Int64, limit: Int) throws -> [Int64]

  /// Calls `body` with each row.
  func forEachRow(
    _ request: RowRequest, _ body: (UnsafeBufferPointer<_Cell>) throws -> Void) throws

  /// Calls `body` with each row that has one of the values in a column. NULL is equal to no value.
  func forEachRow(
    _ request: RowRequest, where column: RowColumn, in values: [ColumnValue],
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws

  /// Calls `body` with the position of the values and the ID of each row, of any class in the table, that has all
  /// values of one position in some columns. NULL is equal to no value.
  ///
  /// - Parameters:
  ///   - columns: The positions of the columns in the plan.
  ///   - values: The values in the order of the columns.
  func forEachMatch(
    of plan: EntityPlan, columns: [Int], with values: [[ColumnValue]],
    _ body: (_ position: Int, _ rowID: Int64) throws -> Void
  ) throws

  /// Calls `body` with the row IDs of each pair of a relationship with a join table, for some owners; the pairs of one
  /// owner are in the list's order, or in that of the destinations' IDs. A destination may not exist.
  ///
  /// - Parameter property: The position of the relationship in the plan.
  func forEachPair(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (_ owner: Int64, _ destination: Int64) throws -> Void
  ) throws
}
