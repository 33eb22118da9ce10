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
  /// Why parts of the predicate are left to the caller.
  let filterReasons: [String]
  /// Why the order is; nil when it isn't.
  let sortReason: String?

  /// - Parameter select: Another SELECT than the usual one, for some of the columns.
  init(
    source: String, statements: EntityStatements, select: String? = nil,
    filterReasons: [String] = [], sortReason: String? = nil
  ) {
    self.source = source
    self.statements = statements
    text = StatementText((select ?? statements.select) + source)
    self.filterReasons = filterReasons
    self.sortReason = sortReason
  }
}
