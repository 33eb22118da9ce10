import SwiftDataCore
import SwiftDataSQL

/// The SQLite form of a request.
final class SQLiteQuery: Sendable {
  let form: QueryForm
  let bindings: [SQLValue]

  init(_ form: QueryForm, _ bindings: [SQLValue]) {
    self.form = form
    self.bindings = bindings
  }

  var source: String { form.source }
  var statements: EntityStatements { form.statements }
  var text: StatementText { form.text }
}

/// The common part of requests of one shape: the SQL without its values.
final class QueryForm: Sendable {
  /// The SQL from `WHERE` on.
  let source: String
  let statements: EntityStatements
  /// The whole SELECT statement for the rows.
  let text: StatementText
  /// Reads rows that are in the file in the query's order; nil where that can't be of use.
  let rangeReader: RowRangeReader?
  /// The reasons why the caller has to evaluate parts of the predicate.
  let filterReasons: [String]
  /// The reason why the caller has to sort; nil when SQL sorts.
  let sortReason: String?

  /// - Parameters:
  ///   - mayLieInRuns: Whether ``RowRangeReader`` may be of use.
  ///   - select: A SELECT for only some of the columns, in place of the usual one.
  init(
    source: String, statements: EntityStatements, mayLieInRuns: Bool = false,
    select: String? = nil,
    filterReasons: [String] = [], sortReason: String? = nil
  ) {
    self.source = source
    self.statements = statements
    let text = StatementText((select ?? statements.select) + source)
    self.text = text
    rangeReader =
      mayLieInRuns && select == nil && statements.isPlain && !source.isEmpty
      ? RowRangeReader(statements, source: source, select: text) : nil
    self.filterReasons = filterReasons
    self.sortReason = sortReason
  }
}
