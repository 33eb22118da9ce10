import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Converts requests to SQL, without translation for shapes that have already been translated.
extension PostgresStore: QueryReusing {
  package func prepare<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> StoreQuery {
    try postgresQuery(request).storeQuery
  }

  func postgresQuery<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> PostgresQuery {
    let shape =
      Self.dependsOnShape(request)
      ? QueryShape(_FetchSummary(request), of: request.plan) { request.sortBy } : nil
    return try reusedQuery(shape) ?? translate(request, shape)
  }

  package func query<Model: PersistentModel>(
    for summary: _FetchSummary, of plan: EntityPlan, order: () -> [SortDescriptor<Model>],
    request: () -> StoreRequest<Model>
  ) throws -> StoreQuery {
    let shape = QueryShape(summary, of: plan, order: order)
    return try (reusedQuery(shape) ?? translate(request(), shape)).storeQuery
  }

  // MARK: - Shapes

  private func reusedQuery(_ shape: QueryShape?) -> PostgresQuery? {
    guard let shape, let form = forms[shape] else { return nil }
    let query = PostgresQuery(self, form, shape.constants.map { .value($0) })
    if query.hasUnsupportedText { return nil }
    // Other values than those that were translated may have no forms of the parameters' types.
    if let types = form.types, !query.parameters.haveForms(of: types) { return nil }
    return query
  }

  /// Whether the SQL of a request depends on nothing but the shape.
  private static func dependsOnShape<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) -> Bool {
    request.excluded.isEmpty && request.changed.isEmpty && request.properties == nil
  }

  private func translate<Model: PersistentModel>(
    _ request: StoreRequest<Model>, _ shape: QueryShape?
  ) throws -> PostgresQuery {
    let query = try translated(request)
    // The shape determines the parameters; a translation with other parameters doesn't belong to it.
    if let shape, Self.dependsOnShape(request), query.filterReasons.isEmpty,
      query.sortReason == nil, query.hasValues(shape.constants)
    {
      var form = query.form
      if case .accepted(let types) = accepted[query.text] { form.types = types }
      forms.insert(form, for: shape)
    }
    return query
  }

  // MARK: - Translation

  private func translated<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> PostgresQuery {
    let predicate = try request.predicate.map { try LoweredPredicate($0) }
    guard let predicate else { return try translate(request, filter: nil) }
    let query = try translate(request, filter: .filtering(predicate))
    if let reason = try refusal(of: query) {
      return try translate(request, filter: .leaving(reason))
    }
    return query
  }

  /// The treatment of a request's predicate.
  private enum Filter {
    case filtering(LoweredPredicate)
    /// It is left to the caller, for a reason.
    case leaving(String)
  }

  /// The reason why the server doesn't accept a query, such as values whose types it can't infer, or a text that it
  /// can't hold; nil when it does.
  private func refusal(of query: PostgresQuery) throws -> String? {
    if query.hasUnsupportedText { return "no text in PostgreSQL contains U+0000" }
    return try accepts(PostgresCommand(query.text, query.parameters))
      ? nil : "PostgreSQL doesn't accept the predicate"
  }

  /// Whether the server accepts a statement, and its values have forms of the types that the server has inferred.
  func accepts(_ command: PostgresCommand) throws -> Bool {
    guard case .accepted(let types) = try answer(to: command.sql) else { return false }
    return command.values.haveForms(of: types)
  }

  /// Whether the server accepts the text of a statement.
  func accepts(_ text: String) throws -> Bool {
    if case .accepted = try answer(to: text) { true } else { false }
  }

  /// A refused statement is worth a line in the log.
  private func answer(to text: String) throws -> AcceptedStatements.Answer {
    if let known = accepted[text] { return known }
    var answer = AcceptedStatements.Answer.refused
    do {
      let types = try withReader { connection, _ in
        // An error would end the transaction around this.
        guard connection.isInTransaction else { return try connection.parameterTypes(of: text) }
        return try connection.transaction { try connection.parameterTypes(of: text) }
      }
      answer = .accepted(types)
    } catch let error as StoreError where Self.isRefusal(error) {
      SwiftDataLog.report(
        .notice, "Postgres", "a part of a request is left to memory: \(error.explanation)")
    }
    accepted.set(text, to: answer)
    return answer
  }

  /// Errors in the text of a statement, and statements beyond the limits
  /// (https://www.postgresql.org/docs/15/errcodes-appendix.html, classes 42 and 54), except for missing tables and
  /// columns.
  private static func isRefusal(_ error: StoreError) -> Bool {
    guard let state = error.sqlState, error.code != .schemaMismatch, error.code != .accessDenied
    else { return false }
    return state.hasPrefix("42") || state.hasPrefix("54")
  }

  private func translate<Model: PersistentModel>(
    _ request: StoreRequest<Model>, filter: Filter?
  ) throws -> PostgresQuery {
    let queries = try queries(of: request.plan)
    let dialect = PostgresDialect()
    var conditions = [queries.condition].compactMap { $0 }
    var values: [PostgresValue] = []
    var filterReasons: [String] = []
    if !request.excluded.isEmpty {
      conditions.append("t0.\(SQLIdentifier.rowID) <> ALL (?)")
      values.append(.integers(request.excluded))
    }
    switch filter {
    case nil: break
    case .leaving(let reason): filterReasons = [reason]
    case .filtering(let predicate):
      let translated = PredicateTranslator(
        plan: request.plan, plans: plansByType, storeIdentifier: identifier,
        changed: request.changed, dialect: dialect
      ).translate(predicate)
      if !translated.isExact { filterReasons = translated.reasons }
      if let condition = translated.condition {
        // A condition that can fail must not be evaluated for excluded rows.
        if condition.canFail, !conditions.isEmpty {
          let others = conditions.joined(separator: " AND ")
          conditions = ["CASE WHEN \(others) THEN \(condition.sql) ELSE FALSE END"]
        } else {
          conditions.append("(\(condition.sql))")
        }
        values += condition.bindings.map { .value($0) }
      }
    }
    var source = ""
    if !conditions.isEmpty { source += " WHERE " + conditions.joined(separator: " AND ") }
    let order = try SortTranslator(
      plan: request.plan, plans: plansByType, changed: request.changed, dialect: dialect
    ).translate(request.sortBy)
    var terms = (order.terms.map { [$0.sql] } ?? [])
    if Self.completesOrder(of: request) { terms.append("t0.\(SQLIdentifier.rowID)") }
    if !terms.isEmpty { source += " ORDER BY " + terms.joined(separator: ", ") }
    values += order.terms.map { $0.bindings.map { .value($0) } } ?? []
    let isCut = filterReasons.isEmpty && order.isExact
    if isCut { source += Self.window(request) }
    return PostgresQuery(
      self, queries, source: source, values,
      limit: isCut ? request.limit.flatMap { $0 > 0 ? $0 : nil } : nil,
      // Filtering or sorting in memory may need any property.
      properties: isCut ? request.properties : nil, filterReasons: filterReasons,
      sortReason: order.reason)
  }

  /// Whether rows that are equal in the order come in that of their IDs, as in a file, so that pages have each row
  /// once. A single row without an order may be any.
  private static func completesOrder<Model: PersistentModel>(
    of request: StoreRequest<Model>
  ) -> Bool {
    if request.sortBy.isEmpty, request.limit == 1, request.offset ?? 0 <= 0 { return false }
    return !window(request).isEmpty
      && !request.sortBy.contains { $0.keyPath == \Model.persistentModelID }
  }

  /// The LIMIT and OFFSET clauses. A limit of 0 means none, as in Core Data.
  private static func window<Model: PersistentModel>(_ request: StoreRequest<Model>) -> String {
    var window = ""
    if let limit = request.limit, limit > 0 { window += " LIMIT \(limit)" }
    if let offset = request.offset, offset > 0 { window += " OFFSET \(offset)" }
    return window
  }

  package func prepare(
    rowIDs: [Int64], of plan: EntityPlan, properties: [Int]?
  ) throws -> StoreQuery {
    let queries = try queries(of: plan)
    return PostgresQuery(
      self, queries, source: queries.whereClause("t0.\(SQLIdentifier.rowID) = ANY (?)"),
      [.integers(rowIDs)], properties: properties
    ).storeQuery
  }
}

extension PostgresQuery {
  /// Whether the parameters are these values.
  fileprivate func hasValues(_ values: [ColumnValue]) -> Bool {
    parameters.count == values.count
      && zip(parameters, values).allSatisfy { parameter, value in
        if case .value(value) = parameter { true } else { false }
      }
  }

  /// Whether a parameter is a text that the server can't take.
  var hasUnsupportedText: Bool {
    parameters.contains { value in
      if case .value(.text(let text)) = value { text.utf8.contains(0) } else { false }
    }
  }
}
