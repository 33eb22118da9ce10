import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: AggregateComputing {
  package func aggregate<Model: PersistentModel>(
    _ request: StoreRequest<Model>, _ aggregation: StoreAggregation,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws -> Bool {
    let aggregates: TranslatedAggregates
    do throws(Untranslatable) {
      aggregates = try AggregateTranslator(
        plan: request.plan, plans: plansByType, changed: request.changed,
        dialect: PostgresDialect()
      ).translate(aggregation)
    } catch {
      return false  // The caller computes the aggregates from the models.
    }
    let rows = try postgresQuery(request)
    guard rows.storeQuery.isFilterExact else { return false }
    var sql = "SELECT \(aggregates.columns.sql) FROM \(rows.queries.table) AS t0\(rows.source)"
    var values = aggregates.columns.bindings.map { PostgresValue.value($0) } + rows.parameters
    if let grouping = aggregates.grouping {
      sql += " GROUP BY \(grouping.sql)"
      values += grouping.bindings.map { .value($0) }
    }
    let command = PostgresCommand(PostgresStatementText.finished(sql), values)
    // Not every type of the server has an order or an equality.
    guard try accepts(command) else { return false }
    let result = try withReader { connection, _ in try evaluating { try connection.run(command) } }
    let reader = PostgresRowReader(result, kinds: aggregates.kinds)
    for row in 0..<result.rowCount { try body(reader.cells(of: result, row)) }
    return true
  }
}
