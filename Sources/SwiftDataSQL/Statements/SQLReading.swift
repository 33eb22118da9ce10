import SwiftDataCore

/// A store that runs statements in SQL from outside, which only read.
package protocol SQLReading: RowStore {
  /// The plans of its entities, by model type.
  var plansByType: [ObjectIdentifier: EntityPlan] { get }

  /// Runs a statement, and decodes each of its rows.
  ///
  /// - Parameter count: The required number of columns; nil for one or more.
  /// - Throws: ``StatementRefusal`` for a statement that can't be used, and for a value of another type than `decode`
  ///   reads.
  func rows<Row>(
    of fragment: SQLFragment, count: Int?, _ decode: (inout _RowReader) throws -> Row
  ) throws -> [Row]
}

/// A store that counts and reports the statements that it executes.
package protocol StatementCounting: RowStore {
  var counter: StatementCounter { get }
}

/// The reason why a statement in SQL from outside isn't run, or why its rows can't be used.
package struct StatementRefusal: Error {
  package enum Kind: String, Sendable {
    case writes, denied, severalStatements, empty, parameters, columnCount, wrongType
  }

  package let kind: Kind
  package let explanation: String
  package let sql: String
  /// The row, from 1, and the column's name, where a value is the reason.
  package private(set) var row: Int?
  package private(set) var column: String?
  package private(set) var expected: String?
  package private(set) var found: String?

  package init(_ kind: Kind, _ explanation: String, sql: String) {
    self.kind = kind
    self.explanation = explanation
    self.sql = sql
  }

  /// The refusal of a statement that gives another number of columns than is asked for.
  package init(columns: Int, wanted: Int?, sql: String) {
    self.init(
      .columnCount, "The statement gives \(columns) columns where \(wanted ?? 1) are asked for.",
      sql: sql)
  }

  /// The refusal of a value of another type than is asked for.
  ///
  /// - Parameters:
  ///   - column: The column's position, from 0.
  ///   - row: The row, from 1.
  package init(
    _ error: RowDecodingError, column: Int, named name: String, row: Int, sql: String
  ) {
    self.init(
      .wrongType,
      "Row \(row), column \(column + 1) (\(name)): expected \(error.expected), found \(error.found).",
      sql: sql)
    self.row = row
    self.column = name
    expected = error.expected
    found = error.found
  }
}
