import Foundation
import SwiftDataCore
import SwiftDataSQL

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
/// transactions, `ATTACH`, `PRAGMA` and extensions. `docs/beyond-apple.md` describes how values are stored in columns.
extension ModelContext {
  /// The models whose row IDs are in the first column, in the order of the rows.
  ///
  /// They are the context's own instances, with their unsaved changes. Rows whose model no longer exists, or is deleted
  /// in this context, are left out.
  ///
  /// - Parameters:
  ///   - type: The class; models of subclasses are included.
  ///   - sql: A statement whose first column is `_id` of the class's table.
  /// - Throws: ``SQLQueryError`` for a statement that can't be used, ``StoreError`` for an error that SQLite reports.
  public func fetch<T: PersistentModel>(_ type: T.Type, sql: SQLQuery) throws -> [T] {
    let store = try SQLSource(self, sql, configuration: nil, of: type).store
    let rowIDs: [Int64] = try store.rows(of: sql, count: nil) { try Int64._decode(from: &$0) }
    return try models(rowIDs: rowIDs, as: type)
  }

  /// The rows of a statement as tuples.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - type: The types of its columns: `(String, Int?, Double).self`.
  ///   - configuration: The name of the store's configuration. Needed only where the statement names no model and
  ///     the container has several SQLite stores.
  /// - Throws: ``SQLQueryError`` for a statement that can't be used, and for a column whose value has another type;
  ///   ``StoreError`` for an error that SQLite reports.
  public func rows<each Column: SQLConvertible>(
    sql: SQLQuery, as type: (repeat each Column).Type, configuration: String? = nil
  ) throws -> [(repeat each Column)] {
    var count = 0
    for _ in repeat (each Column).self { count += 1 }
    let store = try SQLSource(self, sql, configuration: configuration, of: nil).store
    return try store.rows(of: sql, count: count, rowDecoder(repeat (each Column).self))
  }

  /// The rows of a statement with one column.
  public func rows<Column: SQLConvertible>(
    sql: SQLQuery, as type: Column.Type, configuration: String? = nil
  ) throws -> [Column] {
    let store = try SQLSource(self, sql, configuration: configuration, of: nil).store
    return try store.rows(of: sql, count: 1) { try Column._decodeSQL(from: &$0) }
  }
}

/// A statement in SQL whose interpolations are values and names, never text.
///
/// `\(value)` is bound to a parameter; `\(table:)` and `\(column:)` are the quoted names of a model's table and of a
/// property's column.
public struct SQLQuery: ExpressibleByStringInterpolation, Sendable {
  let parts: [SQLPart]

  public init(stringLiteral value: String) { parts = [.text(value)] }

  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// The parts of a statement, as the compiler collects them.
  public struct StringInterpolation: StringInterpolationProtocol {
    var parts: [SQLPart] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    public mutating func appendLiteral(_ literal: String) { parts.append(.text(literal)) }

    /// A value, bound to a parameter in the encoding of a property's column.
    public mutating func appendInterpolation(_ value: some SQLConvertible) {
      parts.append(.value(value._sqlConstant))
    }

    /// An optional value; nil is bound as NULL.
    public mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value?) {
      parts.append(.value(value?._sqlConstant))
    }

    /// A value, bound as its raw value.
    @_disfavoredOverload
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: SQLConvertible { parts.append(.value(value.rawValue._sqlConstant)) }

    /// The row ID of a saved model.
    public mutating func appendInterpolation(_ identifier: PersistentIdentifier) {
      parts.append(.identifier(identifier))
    }

    /// The table of a model; subclasses share the table of their root class.
    public mutating func appendInterpolation<Model: PersistentModel>(table: Model.Type) {
      parts.append(.table(table))
    }

    /// The column of a property, of a composite's member, or of a to-one relationship, without its table.
    public mutating func appendInterpolation<Model: PersistentModel, Value>(
      column: KeyPath<Model, Value>
    ) { parts.append(.column(Model.self, column)) }
  }
}

/// A type as which a column of a statement can be read, and whose values can be bound to a statement: `Bool`, the
/// integers, `Double`, `Float`, `String`, `Date`, `Data`, `UUID`, `URL`, `Decimal`, ``RowReference``, and optionals.
///
/// A type with such a raw value needs one line: `extension Alert: SQLConvertible {}`.
public protocol SQLConvertible {
  static func _decodeSQL(from reader: inout _RowReader) throws -> Self
  /// The value to bind; nil for NULL.
  var _sqlConstant: (any _ColumnValue)? { get }
}

/// A row ID in a statement's result, as a reference to a model.
public struct RowReference<Model: PersistentModel>: Hashable, Sendable, SQLConvertible {
  /// The value of `_id`.
  public let rowID: Int64

  /// The identifier of the model. Its entity is `Model`, though the row may be of a subclass.
  ///
  /// - Parameter context: The context that the row came from.
  /// - Throws: ``SwiftDataError/unknownSchema``.
  public func persistentModelID(in context: ModelContext) throws -> PersistentIdentifier {
    let entry = try context.entry(for: Model.self)
    return entry.identifier(rowID: rowID)
  }

  public static func _decodeSQL(from reader: inout _RowReader) throws -> RowReference {
    RowReference(rowID: try Int64._decode(from: &reader))
  }
  public var _sqlConstant: (any _ColumnValue)? { rowID }
}

/// An error of a SQL statement that can't be used, or whose rows don't have the expected form.
public struct SQLQueryError: Error, Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible
{
  /// The kind of error; an open set.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    /// The statement would write.
    public static let writes = Code(description: "writes")
    /// The statement requires something that isn't allowed, such as `ATTACH` or `PRAGMA`.
    public static let denied = Code(description: "denied")
    /// There is more than one statement.
    public static let severalStatements = Code(description: "severalStatements")
    /// The text contains no statement.
    public static let empty = Code(description: "empty")
    /// The text contains its own parameters.
    public static let parameters = Code(description: "parameters")
    /// A model or property has no table or column, or an identifier no row, in the store.
    public static let unknownName = Code(description: "unknownName")
    /// The store can't be determined.
    public static let ambiguousStore = Code(description: "ambiguousStore")
    /// The store isn't SQLite.
    public static let notSQLite = Code(description: "notSQLite")
    /// The statement returns another number of columns than requested.
    public static let columnCount = Code(description: "columnCount")
    /// The value of a column has another type than expected.
    public static let wrongType = Code(description: "wrongType")
  }

  public let code: Code
  public let explanation: String
  /// The statement, without values; nil when it wasn't built.
  public var sql: String?
  /// The row, from 1, and the column's name, where a value causes the error.
  public var row: Int?
  public var column: String?
  /// The expected type of the column, and the actual one.
  public var expected: String?
  public var found: String?

  init(_ code: Code, _ explanation: String, sql: String? = nil) {
    self.code = code
    self.explanation = explanation
    self.sql = sql
  }

  public var description: String { explanation }
  public var debugDescription: String {
    "SQLQueryError.\(code): \(explanation)" + (sql.map { " SQL: \($0)" } ?? "")
  }
}

extension SQLQueryError: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
