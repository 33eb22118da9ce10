/// A store's explanation of a request.
package struct StoreExplanation: Sendable {
  package var sql: String
  package var bindings: [String]
  /// The lines of the query plan with their nesting depths.
  package var plan: [(depth: Int, text: String)]
  /// The reasons why parts of the predicate are evaluated in memory.
  package var filterReasons: [String]
  /// The reason why the models are sorted in memory; nil when they aren't.
  package var sortReason: String?
  /// The tables that the aliases in the plan stand for.
  package var tables: [String: String]
  /// The name of the database.
  package var database = "SQLite"
  /// The names of the indices that are used; nil where the lines of the plan tell them.
  package var indices: [String]?
  /// The tables whose rows are all read; nil where the lines of the plan tell them.
  package var scannedTables: [String]?

  package init(
    sql: String, bindings: [String], plan: [(depth: Int, text: String)], filterReasons: [String],
    sortReason: String?, tables: [String: String]
  ) {
    self.sql = sql
    self.bindings = bindings
    self.plan = plan
    self.filterReasons = filterReasons
    self.sortReason = sortReason
    self.tables = tables
  }
}
