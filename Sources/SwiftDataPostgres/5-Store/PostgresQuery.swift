import SwiftDataCore
import SwiftDataSQL

/// PostgreSQL's form of a request.
final class PostgresQuery: Sendable {
  let store: PostgresStore
  let form: QueryForm
  let parameters: [PostgresValue]
  let properties: [Int]?
  /// The reasons why the caller has to evaluate parts of the predicate.
  let filterReasons: [String]
  /// The reason why the caller has to sort; nil when SQL sorts.
  let sortReason: String?

  var queries: EntityQueries { form.queries }
  var source: String { form.source }
  var text: String { form.text }
  var limit: Int? { form.limit }

  init(
    _ store: PostgresStore, _ queries: EntityQueries, source: String, _ values: [PostgresValue],
    limit: Int? = nil, properties: [Int]? = nil, filterReasons: [String] = [],
    sortReason: String? = nil
  ) {
    self.store = store
    parameters = values
    // Rows of subclasses have other columns, so all are read.
    let chosen = queries.family == nil ? properties : nil
    self.properties = chosen
    self.filterReasons = filterReasons
    self.sortReason = sortReason
    form = QueryForm(
      queries: queries, source: source,
      text: PostgresStatementText.finished(
        (chosen.map(queries.select(properties:)) ?? queries.select) + source), limit: limit)
  }

  /// A query of a form that was translated before and leaves nothing to the caller.
  init(_ store: PostgresStore, _ form: QueryForm, _ values: [PostgresValue]) {
    self.store = store
    self.form = form
    parameters = values
    properties = nil
    filterReasons = []
    sortReason = nil
  }

  /// The query for a caller, which does what is left.
  var storeQuery: StoreQuery {
    StoreQuery(
      plan: queries.plan, isFilterExact: filterReasons.isEmpty, isSortExact: sortReason == nil,
      properties: properties, statement: self)
  }

  func command(_ sql: String) -> PostgresCommand {
    PostgresCommand(PostgresStatementText.finished(sql), parameters)
  }
}

extension PostgresQuery: StoreStatement {
  var snapshots: (any SnapshotStatement)? { self }
  var wholeModels: (any WholeModelStatement)? { nil }

  func forEachRow(_ body: (UInt64, RowView) throws -> Void) throws {
    let address = store.address
    let command = PostgresCommand(text, parameters)
    try store.forEachRow(of: command, kinds: queries.kinds, limit: limit) { generation, cells in
      try queries.withRow(cells, from: 0, address: address) { try body(generation, $0) }
    }
  }

  func rowIDs() throws -> [Int64] {
    let command = command(
      "SELECT t0.\(SQLIdentifier.rowID) FROM \(queries.table) AS t0" + source)
    let result = try store.withReader { connection, _ in
      try store.evaluating { try connection.run(command) }
    }
    return (0..<result.rowCount).compactMap { result.integer($0, 0) }
  }

  func count() throws -> Int {
    let isCut = source.contains(" LIMIT ") || source.contains(" OFFSET ")
    // An order has no place beside an aggregate.
    let command = command(
      isCut || source.contains(" ORDER BY ")
        ? "SELECT count(*) FROM (SELECT 1 FROM \(queries.table) AS t0\(source)) AS q"
        : "SELECT count(*) FROM \(queries.table) AS t0\(source)")
    let result = try store.withReader { connection, _ in
      try store.evaluating { try connection.run(command) }
    }
    return Int(result.integer(0, 0) ?? 0)
  }
}

extension PostgresStore {
  /// The number of rows up to which they are read before the first one is passed on, so that the connection is free
  /// for others meanwhile, and of any number of rows those that a copy of the server has to give before the first one
  /// is passed on: until then, the server can be asked instead.
  private static let maximumBuffered = 1_000
  /// The number of bytes of texts and data after which no more rows of a copy are kept.
  private static let maximumBufferedBytes = 8 << 20

  /// Calls `body` with the generation and the cells of each row of a query. The rows may be newer than that, never
  /// older.
  ///
  /// - Parameter limit: The largest number of rows; nil for any.
  func forEachRow(
    of command: PostgresCommand, kinds: [ColumnKind?], limit: Int? = nil,
    _ body: (UInt64, UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    // The only connection of a transaction has to be free when rows are passed on.
    guard connections.isLent || limit.map({ $0 <= Self.maximumBuffered }) ?? false else {
      var hasPassed = false
      try withReader(canRepeat: { !hasPassed }) { connection, generation in
        func pass(_ cells: UnsafeBufferPointer<_Cell>) throws {
          hasPassed = true
          try body(generation, cells)
        }
        // Only copies have such a state.
        var first = connection.reached == nil ? nil : KeptRows()
        try evaluating {
          try connection.forEachRow(of: command, kinds: kinds) { cells in
            guard first != nil else { return try pass(cells) }
            first?.append(cells)
            guard let kept = first,
              kept.count == Self.maximumBuffered || kept.byteCount >= Self.maximumBufferedBytes
            else { return }
            first = nil
            try kept.forEach(pass)
          }
          try first?.forEach(pass)
        }
      }
      return
    }
    let (generation, result) = try withReader { connection, generation in
      (generation, try evaluating { try connection.run(command) })
    }
    let reader = PostgresRowReader(result, kinds: kinds)
    for row in 0..<result.rowCount { try body(generation, reader.cells(of: result, row)) }
  }

  /// Runs a query, and converts the server's errors of arithmetic to those that evaluation in memory has.
  func evaluating<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as StoreError
      where error.sqlState == "22003" || error.sqlState == "22012"
    {
      throw IntegerFunctions.error(of: IntegerFunctions.failure) ?? error
    }
  }
}
