import SwiftDataCore
import SwiftDataSQL

extension DefaultStore: AggregateComputing {
  package func aggregate<Model: PersistentModel>(
    _ request: StoreRequest<Model>, _ aggregation: StoreAggregation,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws -> Bool {
    let aggregates: TranslatedAggregates
    do throws(Untranslatable) {
      aggregates = try AggregateTranslator(
        plan: request.plan, plans: plansByType, changed: request.changed,
        dialect: SQLiteDialect()
      ).translate(aggregation)
    } catch {
      return false  // The caller computes the aggregates from the models.
    }
    let rows = try sqliteQuery(request)
    guard rows.isFilterExact else { return false }
    var sql = "SELECT \(aggregates.columns.sql) FROM \(rows.statements.table) AS t0\(rows.source)"
    var bindings = aggregates.columns.bindings + rows.bindings
    if let grouping = aggregates.grouping {
      sql += " GROUP BY \(grouping.sql)"
      bindings += grouping.bindings
    }
    try withReader { connection in
      let statement = try connection.statement(sql)
      defer { statement.reset() }
      try statement.bind(bindings)
      while try statement.step() { try body(statement.row(from: 0)) }
    }
    return true
  }
}
