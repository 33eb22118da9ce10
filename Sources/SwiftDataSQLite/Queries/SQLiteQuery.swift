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

/// What requests of one shape have in common: the SQL without its values.
final class QueryForm: Sendable {
  /// From `WHERE` on.
  let source: String
  let statements: EntityStatements
  /// The rows' whole SELECT.
  let text: StatementText
  /// How rows are read that lie in the file as the query wants them; nil where that can't be of use.
  let runs: RowRuns?
  /// Why parts of the predicate are left to the caller.
  let filterReasons: [String]
  /// Why the order is; nil when it isn't.
  let sortReason: String?

  /// - Parameters:
  ///   - mayLieInRuns: Whether ``RowRuns`` may be of use.
  ///   - select: Another SELECT than the usual one, for some of the columns.
  init(
    source: String, statements: EntityStatements, mayLieInRuns: Bool = false,
    select: String? = nil,
    filterReasons: [String] = [], sortReason: String? = nil
  ) {
    self.source = source
    self.statements = statements
    let text = StatementText((select ?? statements.select) + source)
    self.text = text
    runs =
      mayLieInRuns && select == nil && statements.isPlain && !source.isEmpty
      ? RowRuns(statements, source: source, select: text) : nil
    self.filterReasons = filterReasons
    self.sortReason = sortReason
  }
}
