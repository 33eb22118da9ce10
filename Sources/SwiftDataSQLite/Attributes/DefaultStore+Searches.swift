import Foundation
import SwiftDataCore
import SwiftDataSQL

extension DefaultStore {
  /// What an R*Tree or a text index can say about a predicate's rows beforehand: queries for row ids.
  package func searches<Model: PersistentModel>(
    for predicate: Predicate<Model>, _ plan: EntityPlan
  ) -> [SQLFragment] {
    guard hasSearchTables else { return [] }
    return IndexSearch(plan: plan, plans: plansByType).queries(for: predicate)
  }

  /// The conditions by which an index narrows the rows of a request down, where it finds few enough.
  ///
  /// SQLite doesn't know how many rows a virtual table will give and takes them all before it looks at the first.
  /// For a box round everything that is worse than reading the table, and much worse than following another index up
  /// to a limit. So as many as pay are counted first.
  package func searchConditions<Model: PersistentModel>(
    for predicate: Predicate<Model>, _ request: StoreRequest<Model>
  ) throws -> [SQLFragment] {
    let queries = searches(for: predicate, request.plan)
    guard !queries.isEmpty else { return [] }
    return try withReader { connection in
      let table = SQLIdentifier.quoted(request.plan.table)
      let rows = try connection.integer("SELECT max(\"_id\") FROM \(table)") ?? 0
      let limit = Self.payingRows(of: rows, limit: request.limit)
      return try queries.filter { query in
        let found = try connection.integer(
          "SELECT count(*) FROM (\(query.sql) LIMIT ?)", query.bindings + [.integer(limit + 1)])
        return found ?? 0 <= limit
      }.map { $0.enclosed("t0.\"_id\" IN (", ")") }
    }
  }

  /// How many rows an index may find to be worth it. Measured on 200,000 rows: looking up one row in eight by id takes
  /// as long as reading all. With a limit the alternative reads until it has that many, `limit ÷ share` rows, which
  /// are fewer than what the index finds when that is more than `√(limit · rows)`.
  package static func payingRows(of rows: Int64, limit: Int?) -> Int64 {
    guard let limit, limit > 0 else { return max(1000, rows / 8) }
    let balance = (Double(limit) * Double(rows)).squareRoot()
    return max(Int64(limit), Int64(min(balance, Double(rows))))
  }
}
