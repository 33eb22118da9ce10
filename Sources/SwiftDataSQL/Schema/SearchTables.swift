import SwiftDataCore

/// The tables that speed up searches which an ordinary index can't.
///
/// Triggers maintain them, whichever program writes. They serve as prefilters only: the predicate itself tests the rows
/// they find, so they may hold more rows than necessary, but never fewer.
package enum SearchTables {
  /// A table that belongs to the table of an entity.
  package struct Table: Sendable {
    /// The name of the table.
    package let name: String
    /// Creates the table.
    package let creation: String
    /// Copies the values of the entity's rows.
    package let filling: String
    /// Empties the table.
    package let emptying: String
    /// The endings of the names of the tables in which the database keeps this one.
    package let shadowEndings: [String]
    /// The triggers that maintain the table, by name.
    package let triggers: [(name: String, statement: String)]
    /// Updates the text index for the rows that triggers have recorded; empty for other tables.
    package let refreshing: [String]
    /// Merges the segments of the text index into one, which is read fastest; empty for other tables.
    package var merging: String = ""
    /// Reads the largest row ID of the entity's table.
    package var lastRow: String = ""
    /// Whether the table depends on how strings are folded.
    package var isText: Bool { !refreshing.isEmpty }
  }

  /// The columns with a text index: unencoded text columns with `.spotlight`.
  package static func textColumns(of plan: EntityPlan) -> [Int] {
    plan.columns.indices.filter { index in
      let column = plan.columns[index]
      let storage = plan.properties[column.property].storage
      return storage.isSearchable && storage.isComparable && column.kind == .text
    }
  }
}
