import SwiftDataCore
import SwiftDataSQL

/// The SQLite form of a request.
final class SQLiteQuery: Sendable {
  let store: DefaultStore
  let form: QueryForm
  let bindings: [SQLValue]

  init(_ store: DefaultStore, _ form: QueryForm, _ bindings: [SQLValue]) {
    self.store = store
    self.form = form
    self.bindings = bindings
  }

  var source: String { form.source }
  var statements: EntityStatements { form.statements }
  var text: StatementText { form.text }
  /// Whether every row matches the predicate.
  var isFilterExact: Bool { form.filterReasons.isEmpty }
  /// Whether the rows are in the requested order.
  var isSortExact: Bool { form.sortReason == nil }
}

extension StoreQuery {
  init(_ query: SQLiteQuery, of plan: EntityPlan) {
    self.init(
      plan: plan, isFilterExact: query.isFilterExact, isSortExact: query.isSortExact,
      properties: query.form.properties, statement: query)
  }
}

/// The common part of requests of one shape: the SQL without its values.
final class QueryForm: Sendable {
  /// The SQL from `WHERE` on.
  let source: String
  let statements: EntityStatements
  /// The whole SELECT statement for the rows.
  let text: StatementText
  /// The positions of the properties that the rows have; nil for all.
  let properties: [Int]?
  /// Reads rows that are in the file in the query's order; nil where that can't be of use.
  let rangeReader: RowRangeReader?
  /// The reasons why the caller has to evaluate parts of the predicate.
  let filterReasons: [String]
  /// The reason why the caller has to sort; nil when SQL sorts.
  let sortReason: String?

  /// - Parameters:
  ///   - mayLieInRuns: Whether ``RowRangeReader`` may be of use.
  ///   - properties: The positions of the properties to read; nil for all.
  init(
    source: String, statements: EntityStatements, mayLieInRuns: Bool = false,
    properties: [Int]? = nil,
    filterReasons: [String] = [], sortReason: String? = nil
  ) {
    self.source = source
    self.statements = statements
    self.properties = properties
    let select = properties.map(statements.select(properties:)) ?? statements.select
    let text = StatementText(select + source)
    self.text = text
    rangeReader =
      mayLieInRuns && properties == nil && statements.isPlain && !source.isEmpty
      ? RowRangeReader(statements, source: source, select: text) : nil
    self.filterReasons = filterReasons
    self.sortReason = sortReason
  }
}

extension SQLiteQuery: SnapshotStatement {
  var snapshots: (any SnapshotStatement)? { self }
  var wholeModels: (any WholeModelStatement)? { nil }

  func forEachRow(_ body: (UInt64, RowView) throws -> Void) throws {
    try store.withReader(sharesTransaction: true) { connection in
      let generation = store.generation
      let statements = statements
      let plan = PlanReference(statements.plan)
      // Most classes have their own table, whose columns are in the order in which models read
      // them.
      func passPlain(_ statement: Statement) throws {
        let cells = statement.row(from: 1)
        try body(
          generation,
          RowView(
            plan: plan, rowID: statement.rowIDOfRow(), cells: cells,
            texts: statement.texts(from: 1)))
      }
      if try forEachRowInRanges(by: statements.selectRange, connection, passPlain) {
        return
      }
      let statement = try connection.statement(text)
      defer { statement.reset() }
      try statement.bind(bindings)
      var heapReservation = HeapReservation()
      if statements.isPlain {
        while try statement.step() {
          heapReservation.next()
          try passPlain(statement)
        }
        return
      }
      while try statement.step() {
        heapReservation.next()
        try store.withOpenedRow(statement, from: 1, rowID: statement.rowID(), statements) { row in
          try body(generation, row)
        }
      }
    }
  }

  func rowIDs() throws -> [Int64] {
    try store.withReader(sharesTransaction: true) { connection in
      let statement = try connection.statement(
        "SELECT t0.\(SQLIdentifier.rowID) FROM \(statements.table) AS t0" + source)
      defer { statement.reset() }
      try statement.bind(bindings)
      var rowIDs: [Int64] = []
      while try statement.step() { rowIDs.append(statement.rowID()) }
      return rowIDs
    }
  }

  func count() throws -> Int {
    let table = statements.table
    let sql =
      source.contains(" LIMIT ")
      ? "SELECT count(*) FROM (SELECT 1 FROM \(table) AS t0\(source))"
      : "SELECT count(*) FROM \(table) AS t0\(source)"
    return try store.withReader(sharesTransaction: true) {
      Int(try $0.integer(sql, bindings) ?? 0)
    }
  }
}
