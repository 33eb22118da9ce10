import Foundation
import SwiftDataCore

/// Queries in SQL, for conditions that predicates can't express. Read-only. An addition to Apple's interface.
///
///     let near: [Quake] = try context.fetch(
///       Quake.self,
///       sql: """
///         SELECT _id FROM \(table: Quake.self)
///         ORDER BY abs(\(column: \Quake.magnitude) - \(wanted)) LIMIT 10
///         """)
///     let days = try context.rows(
///       sql: "SELECT date(\(column: \Quake.time) + 978307200, 'unixepoch'), count(*) FROM Quake GROUP BY 1",
///       as: (String, Int).self)
///
/// Values are bound to parameters and never become part of the text. The statement sees saved data, not the context's
/// unsaved changes. It runs on a separate connection that permits only reading: it refuses statements that write,
/// transactions, `ATTACH`, `PRAGMA` and extensions. `docs/decisions/0004-a-plain-file.md` describes how values are
/// stored in columns.
extension ModelContext {
  /// The models whose row IDs are in the first column, in the order of the rows.
  ///
  /// They are the context's own instances, with their unsaved changes. Rows whose model no longer exists, or is deleted
  /// in this context, are left out.
  ///
  /// - Parameters:
  ///   - type: The class; models of subclasses are included.
  ///   - sql: A statement whose first column is `_id` of the class's table.
  /// - Throws: ``SQLQueryError`` for a statement that can't be used, ``StoreError`` for an error that the database
  ///   reports.
  public func fetch<T: PersistentModel>(_ type: T.Type, sql: SQLQuery) throws -> [T] {
    let store = try SQLSource(self, sql, configuration: nil, of: type).store
    let rowIDs = try sql.rows(in: store, count: nil) { try Int64._decode(from: &$0) }
    return try models(rowIDs: rowIDs, as: type)
  }

  /// The rows of a statement as tuples.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - type: The types of its columns: `(String, Int?, Double).self`.
  ///   - configuration: The name of the store's configuration. Needed only where the statement names no model and
  ///     the container has several databases.
  /// - Throws: ``SQLQueryError`` for a statement that can't be used, and for a column whose value has another type;
  ///   ``StoreError`` for an error that the database reports.
  public func rows<each Column: SQLConvertible>(
    sql: SQLQuery, as type: (repeat each Column).Type, configuration: String? = nil
  ) throws -> [(repeat each Column)] {
    var count = 0
    for _ in repeat (each Column).self { count += 1 }
    let store = try SQLSource(self, sql, configuration: configuration, of: nil).store
    return try sql.rows(in: store, count: count, rowDecoder(repeat (each Column).self))
  }

  /// The rows of a statement with one column.
  public func rows<Column: SQLConvertible>(
    sql: SQLQuery, as type: Column.Type, configuration: String? = nil
  ) throws -> [Column] {
    let store = try SQLSource(self, sql, configuration: configuration, of: nil).store
    return try sql.rows(in: store, count: 1) { try Column._decodeSQL(from: &$0) }
  }
}
