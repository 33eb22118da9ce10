import SwiftDataCore

/// The changes that turn a file from one schema into another, computed from the two descriptions without a file.
package struct SchemaStep: Sendable {
  /// A table of entities that is created, rebuilt or changed in place.
  package struct Table: Sendable {
    package enum Action: Sendable {
      case create
      /// Statements that change the table in place.
      case alter([String])
      /// A new table, filled by the query, replaces the old one.
      case rebuild
    }
    package let name: String
    package let action: Action
    /// Creates the table; a rebuild uses a temporary name.
    package let creation: String
    /// The columns that the query returns, in order.
    package let columns: [String]
    /// The rows of the new table, as a query on the old tables; nil when there are none.
    package let source: String?
    /// The tables that supply the rows.
    package let origins: [String]
    /// Queries for the numbers of these rows, one for each entity.
    package let counts: [String]
  }

  /// A table of pairs that is created again.
  package struct Pairs: Sendable {
    package let name: String
    package let creation: String
    /// The columns that the query returns, in order.
    package let columns: [String]
    package let source: String?
  }

  /// A column whose values are now stored in another form: encrypted or not, in files or not.
  package struct Recoding: Sendable {
    package let entity: String
    package let old: PropertyDescription
    package let new: PropertyDescription
    package let column: ColumnDescription
    /// The property's default value for the column, in the new form already; nil when it has none.
    package let fallback: SQLValue?
    package let oldTable: String
    package let newTable: String
  }

  /// Data that will be lost: the query counts it.
  package struct Loss: Sendable {
    package let description: String
    package let count: String
  }

  package var tables: [Table] = []
  package var pairs: [Pairs] = []
  package var recodings: [Recoding] = []
  package var compositions: [TextComposition] = []
  package var dropped: [String] = []
  package var losses: [Loss] = []
  package var checks: [RowCheck] = []
  package var decodings: [DecodingCheck] = []
  package var uniqueTexts: [UniqueTextCheck] = []
  package var changes: [SchemaChange] = []
  /// Whether older transactions of the history can't be read with the new schema.
  package var expiresHistory = false
  /// Indices that no longer exist or have changed.
  package var obsoleteIndices: [String] = []
  /// Virtual tables that no longer exist or have to be filled again.
  package var obsoleteSearchTables: [String] = []
  /// The foreign keys, with statements of their own, that entities which change had.
  package var formerReferences: [DatabaseObject] = []
  /// The names of all objects that the framework created for entities that change; none of them belongs to another
  /// program.
  package var formerObjects: Set<String> = []
  /// The schema of the file after the step.
  package var result: SchemaDescription

  /// Whether only the description of the file changes.
  package var isEmpty: Bool { changes.isEmpty }

  /// Whether existing rows are rewritten or deleted.
  package var rewritesRows: Bool {
    !dropped.isEmpty || !recodings.isEmpty || !compositions.isEmpty
      || pairs.contains { $0.source != nil }
      || tables.contains { table in
        if case .rebuild = table.action { return true }
        return false
      }
  }

  /// The tables that differ after the step.
  package var touchedTables: Set<String> { Set(tables.map(\.name) + dropped) }

  package static let prefix = "_migration_"
}

/// A condition that no row may meet.
package struct RowCheck: Sendable {
  package let code: MigrationError.Code
  package let entity: String
  package let property: String
  /// Returns the IDs of the violating rows in its first column.
  package let query: String
  /// The problem and its solution, for a number of rows.
  package let explanation: @Sendable (Int) -> String
}

/// A property whose values have to be decoded as its new type.
package struct DecodingCheck: Sendable {
  package let entity: String
  package let property: String
  /// Returns the row ID, then the columns of the property as the new schema has them.
  package let query: String
  package let oldType: String
  package let newType: String
}
