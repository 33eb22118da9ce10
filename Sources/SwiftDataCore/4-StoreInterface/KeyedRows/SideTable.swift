/// The definition of a table that a toolkit keeps in a store beside those of the models.
///
/// The name begins with an underscore, so that it can't be an entity's. The names of columns are plain identifiers.
package struct SideTable: Hashable, Sendable {
  package struct Column: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case integer, real, text, blob }

    package let name: String
    package let kind: Kind
    package let isOptional: Bool

    package init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
      self.name = name
      self.kind = kind
      self.isOptional = isOptional
    }
  }

  /// The primary key.
  package enum Key: Hashable, Sendable {
    /// The first column, an integer; a row that is inserted without it gets the next number.
    case number
    /// Several columns. Rows are stored in the order in which they are inserted, beside an index of the key: for rows
    /// whose keys arrive in random order.
    case columns([String])
    /// Several columns, by which the rows themselves are ordered.
    case ordered([String])
  }

  package struct Index: Hashable, Sendable {
    package let name: String
    package let columns: [String]
    /// The rows in the index; nil for all.
    package let condition: SideTableCondition?

    package init(_ name: String, _ columns: [String], where condition: SideTableCondition? = nil) {
      self.name = name
      self.columns = columns
      self.condition = condition
    }
  }

  package let name: String
  package let columns: [Column]
  package let key: Key
  package let indices: [Index]

  package init(_ name: String, _ columns: [Column], key: Key, indices: [Index] = []) {
    self.name = name
    self.columns = columns
    self.key = key
    self.indices = indices
  }

  /// The names of the columns of the primary key.
  package var keyColumns: [String] {
    switch key {
    case .number: columns.first.map { [$0.name] } ?? []
    case .columns(let names), .ordered(let names): names
    }
  }
}

/// A condition on the rows of a side table.
package indirect enum SideTableCondition: Hashable, Sendable {
  case isNull(String)
  case isNotNull(String)
  /// The integer in a column isn't 0.
  case isTrue(String)
  case equal(String, ColumnValue)
  case less(String, than: ColumnValue)
  case atMost(String, ColumnValue)
  case greater(String, than: ColumnValue)
  case all([SideTableCondition])
  case any([SideTableCondition])
  /// No row of another table has the same values in some columns and meets a condition.
  case noRow(of: SideTable, sharing: [String], where: SideTableCondition)
}

/// The rows and columns to read from a side table.
package struct SideTableQuery: Sendable {
  package let table: SideTable
  package let columns: [String]
  package var condition: SideTableCondition?
  /// The columns by which rows are ordered.
  package var order: [String] = []
  package var isDescending = false
  /// The maximum number of rows.
  package var limit: Int?

  package init(
    _ table: SideTable, _ columns: [String], where condition: SideTableCondition? = nil
  ) {
    self.table = table
    self.columns = columns
    self.condition = condition
  }

  package func ordered(by columns: String..., descending: Bool = false) -> SideTableQuery {
    var query = self
    query.order = columns
    query.isDescending = descending
    return query
  }

  package func limited(to count: Int) -> SideTableQuery {
    var query = self
    query.limit = count
    return query
  }
}
