import Foundation
import SwiftDataCore
import SwiftDataSQL

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
    /// The store isn't a database with SQL.
    public static let notSQLite = Code(description: "notSQLite")
    /// The statement returns another number of columns than requested.
    public static let columnCount = Code(description: "columnCount")
    /// The value of a column has another type than expected.
    public static let wrongType = Code(description: "wrongType")
  }

  /// The kind of error.
  public let code: Code
  /// The error in words.
  public let explanation: String
  /// The statement, without values; nil when it wasn't built.
  public var sql: String?
  /// The row, from 1, and the column's name, where a value causes the error.
  public var row: Int?
  /// The name of the column.
  public var column: String?
  /// The expected type of the column, and the actual one.
  public var expected: String?
  /// The type of the value that was found.
  public var found: String?

  init(_ code: Code, _ explanation: String, sql: String? = nil) {
    self.code = code
    self.explanation = explanation
    self.sql = sql
  }

  init(_ refusal: StatementRefusal) {
    self.init(Code(description: refusal.kind.rawValue), refusal.explanation, sql: refusal.sql)
    row = refusal.row
    column = refusal.column
    expected = refusal.expected
    found = refusal.found
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
