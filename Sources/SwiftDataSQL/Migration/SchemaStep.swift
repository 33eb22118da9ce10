import SwiftDataCore

/// What has to be done to bring a file from one schema to another: made from the two descriptions, without a file.
package struct SchemaStep: Sendable {
  /// A table of entities, made anew, filled, changed in place or left alone.
  package struct Table: Sendable {
    package enum Action: Sendable {
      case create
      /// Statements that change the table where it is.
      case alter([String])
      /// A new table, filled by the query, takes its place.
      case rebuild
    }
    package let name: String
    package let action: Action
    /// Makes the table under a name that no other has; empty where it is changed in place.
    package let creation: String
    /// The columns that the query gives, in order.
    package let columns: [String]
    /// The rows of the new table, as a query on the old ones; nil when there are none.
    package let source: String?
    /// The tables that the rows come from.
    package let origins: [String]
  }

  /// A table of pairs that is made anew.
  package struct Pairs: Sendable {
    package let name: String
    package let creation: String
    /// The columns that the query gives, in order.
    package let columns: [String]
    package let source: String?
  }

  /// A column whose values are stored in another form now: encrypted or not, in files or not.
  package struct Recoding: Sendable {
    package let entity: String
    package let old: PropertyDescription
    package let new: PropertyDescription
    package let column: ColumnDescription
    package let oldTable: String
    package let newTable: String
  }

  /// What is to be lost: the query counts it.
  package struct Loss: Sendable {
    package let description: String
    package let count: String
  }

  package var tables: [Table] = []
  package var pairs: [Pairs] = []
  package var recodings: [Recoding] = []
  package var dropped: [String] = []
  package var losses: [Loss] = []
  package var checks: [RowCheck] = []
  package var decodings: [DecodingCheck] = []
  package var changes: [SchemaChange] = []
  /// Whether older transactions of the history can't be read with the new schema.
  package var expiresHistory = false
  /// Indices that are no more, or others.
  package var obsoleteIndices: [String] = []
  /// Virtual tables that are no more, or have to be filled anew.
  package var obsoleteSearchTables: [String] = []
  /// Names of all that was made for entities that change: none of it is somebody else's.
  package var formerObjects: Set<String> = []
  /// The file afterwards.
  package var result: SchemaDescription

  /// Whether nothing of the file but its description changes.
  package var isEmpty: Bool { changes.isEmpty }

  /// Whether rows that are there are written again, or go.
  package var rewritesRows: Bool {
    !dropped.isEmpty || !recodings.isEmpty
      || pairs.contains { $0.source != nil }
      || tables.contains { table in
        if case .rebuild = table.action { return true }
        return false
      }
  }

  /// The tables that are another afterwards.
  package var touchedTables: Set<String> { Set(tables.map(\.name) + dropped) }

  package static let prefix = "_migration_"
}

/// A condition that no row may meet.
package struct RowCheck: Sendable {
  package let code: MigrationError.Code
  package let entity: String
  package let property: String
  /// Gives the ids of the rows in the way, as the first column.
  package let query: String
  /// What is wrong and what to do, for a number of rows.
  package let explanation: @Sendable (Int) -> String
}

/// A property whose values have to be decoded as its new type.
package struct DecodingCheck: Sendable {
  package let entity: String
  package let property: String
  /// Gives the row id and then the columns of the property as the new schema has them.
  package let query: String
  package let oldType: String
  package let newType: String
}
