import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Converts requests to SQL, without translation for shapes that have already been translated.
extension DefaultStore: QueryReusing {
  package func prepare<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> StoreQuery {
    StoreQuery(try sqliteQuery(request), of: request.plan)
  }

  func sqliteQuery<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> SQLiteQuery {
    let shape =
      try Self.dependsOnShape(request)
      ? shape(_FetchSummary(request), request.plan) { request.sortBy } : nil
    return try reusedQuery(shape) ?? translate(request, shape)
  }

  package func query<Model: PersistentModel>(
    for summary: _FetchSummary, of plan: EntityPlan, order: () -> [SortDescriptor<Model>],
    request: () -> StoreRequest<Model>
  ) throws -> StoreQuery {
    let shape = try shape(summary, plan, order: order)
    let query = try reusedQuery(shape) ?? translate(request(), shape)
    return StoreQuery(query, of: plan)
  }

  private func reusedQuery(_ shape: QueryShape?) -> SQLiteQuery? {
    guard let shape, let form = queries[shape] else { return nil }
    return SQLiteQuery(self, form, shape.constants)
  }

  /// Whether the SQL of a request depends on nothing but the shape.
  private static func dependsOnShape<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) -> Bool {
    request.excluded.isEmpty && request.changed.isEmpty && request.properties == nil
  }

  /// The shape of a request; nil when its SQL may depend on more than the shape.
  private func shape<Model: PersistentModel>(
    _ summary: _FetchSummary, _ plan: EntityPlan, order: () -> [SortDescriptor<Model>]
  ) throws -> QueryShape? {
    try statements(of: plan).isSearchable ? nil : QueryShape(summary, of: plan, order: order)
  }

  private func translate<Model: PersistentModel>(
    _ request: StoreRequest<Model>, _ shape: QueryShape?
  ) throws -> SQLiteQuery {
    let query = try translate(request)
    // The shape determines the parameters; a translation with other parameters doesn't belong to
    // it.
    if let shape, Self.dependsOnShape(request), query.isFilterExact, query.isSortExact,
      query.bindings == shape.constants
    {
      queries.insert(query.form, for: shape)
    }
    return query
  }

  private func translate<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> SQLiteQuery {
    let predicate = try request.predicate.map { try LoweredPredicate($0) }
    let query = try translate(request, predicate, filtering: true)
    guard predicate != nil, try !fits(query) else { return query }
    return try translate(request, predicate, filtering: false)
  }

  /// The length up to which statements are certainly within SQLite's limits.
  private static var certainLength: Int { 300 }

  /// Whether SQLite accepts a statement: the depth, length and number of parameters that it can
  /// compile are limited (https://sqlite.org/limits.html).
  private func fits(_ query: SQLiteQuery) throws -> Bool {
    guard query.source.utf8.count > Self.certainLength else { return true }
    do {
      // Compiled once: the connection caches it for reading the rows.
      _ = try withReader { try $0.statement(query.text) }
      return true
    } catch let error as StoreError where error.isLimit {
      return false
    }
  }

  /// - Parameter isFiltering: Whether SQL filters; otherwise the caller does.
  private func translate<Model: PersistentModel>(
    _ request: StoreRequest<Model>, _ predicate: LoweredPredicate?, filtering isFiltering: Bool
  ) throws -> SQLiteQuery {
    let statements = try statements(of: request.plan)
    var conditions = [statements.condition].compactMap { $0 }
    var bindings: [SQLValue] = []
    var isFilterExact = true
    var filterReasons: [String] = []
    if !request.excluded.isEmpty {
      conditions.append("t0.\(SQLIdentifier.rowID) NOT IN (SELECT value FROM json_each(?))")
      bindings.append(.text("[\(request.excluded.map(String.init).joined(separator: ","))]"))
    }
    if !isFiltering {
      isFilterExact = false
      filterReasons = ["the predicate is more than SQLite compiles"]
    } else if let predicate {
      let translated = PredicateTranslator(
        plan: request.plan, plans: plansByType, storeIdentifier: identifier,
        changed: request.changed, dialect: SQLiteDialect()
      ).translate(predicate)
      isFilterExact = translated.isExact
      filterReasons = translated.reasons
      if let condition = translated.condition {
        // A condition that can fail must not be evaluated for excluded rows.
        if condition.canFail, !conditions.isEmpty {
          let others = conditions.joined(separator: " AND ")
          conditions = ["CASE WHEN \(others) THEN \(condition.sql) ELSE 0 END"]
        } else {
          conditions.append("(\(condition.sql))")
        }
        bindings += condition.bindings
      }
      for search in try searchConditions(for: predicate, request) {
        conditions.append(search.sql)
        bindings += search.bindings
      }
    }
    var source = ""
    if !conditions.isEmpty { source += " WHERE " + conditions.joined(separator: " AND ") }
    let order = try SortTranslator(
      plan: request.plan, plans: plansByType, changed: request.changed,
      dialect: SQLiteDialect()
    ).translate(request.sortBy)
    if let terms = order.terms {
      source += " ORDER BY " + terms.sql
      bindings += terms.bindings
    }
    let isCut = isFilterExact && order.isExact
    if isCut { source += Self.window(request) }
    // Filtering or sorting in memory may need any property.
    let properties = isCut ? request.properties : nil
    let form = QueryForm(
      source: source, statements: statements,
      mayLieInRuns: !isCut || RowRangeReader.mayPayOff(limit: request.limit),
      properties: properties, filterReasons: filterReasons, sortReason: order.reason)
    return SQLiteQuery(self, form, bindings)
  }

  package func prepare(
    rowIDs: [Int64], of plan: EntityPlan, properties: [Int]?
  ) throws -> StoreQuery {
    let statements = try statements(of: plan)
    let form = QueryForm(
      source: " WHERE t0.\(SQLIdentifier.rowID) IN (SELECT value FROM json_each(?))"
        + (statements.condition.map { " AND \($0)" } ?? ""),
      statements: statements, properties: properties)
    return StoreQuery(SQLiteQuery(self, form, [.text(Self.list(rowIDs))]), of: plan)
  }

  /// The LIMIT and OFFSET clauses. A limit of 0 means none, as in Core Data; in SQLite that is -1.
  private static func window<Model: PersistentModel>(_ request: StoreRequest<Model>) -> String {
    let limit = request.limit.flatMap { $0 > 0 ? $0 : nil }
    let offset = request.offset ?? 0
    if limit == nil && offset == 0 { return "" }
    return " LIMIT \(limit ?? -1)" + (offset > 0 ? " OFFSET \(offset)" : "")
  }
}
