import SwiftDataCore
import SwiftDataSQL

/// The SQLite form of a request.
struct SQLiteQuery: Sendable {
  /// From `FROM` on.
  let source: String
  let bindings: [SQLValue]
  let statements: EntityStatements
  /// Another SELECT than the usual one, for some of the columns.
  var select: String?
  /// Why parts of the predicate are left to the caller.
  var filterReasons: [String] = []
  /// Why the order is; nil when it isn't.
  var sortReason: String?
}

extension DefaultStore: ModelStore {
  package func prepare<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> StoreQuery {
    let query = try prepare(request, filtering: true)
    guard request.predicate != nil, try !fits(query) else { return query }
    return try prepare(request, filtering: false)
  }

  /// Shorter statements are within SQLite's limits for sure.
  private static var certainLength: Int { 300 }

  /// Whether SQLite takes a statement: what it can compile is limited in depth, length and number
  /// of parameters (https://sqlite.org/limits.html).
  private func fits(_ query: StoreQuery) throws -> Bool {
    let query = try sqlite(query)
    guard query.source.utf8.count > Self.certainLength else { return true }
    do {
      // Compiled once: the connection keeps it for the rows.
      _ = try withReader { try $0.statement(query.statements.select + query.source) }
      return true
    } catch let error as StoreError where error.isLimit {
      return false
    }
  }

  /// - Parameter isFiltering: Whether SQL filters; if not, the caller does.
  private func prepare<Model: PersistentModel>(
    _ request: StoreRequest<Model>, filtering isFiltering: Bool
  ) throws -> StoreQuery {
    let statements = try statements(of: request.plan)
    var conditions = [statements.condition].compactMap { $0 }
    var bindings: [SQLValue] = []
    var isFilterExact = true
    var filterReasons: [String] = []
    if !request.excluded.isEmpty {
      conditions.append("t0.\"_id\" NOT IN (SELECT value FROM json_each(?))")
      bindings.append(.text("[\(request.excluded.map(String.init).joined(separator: ","))]"))
    }
    if !isFiltering {
      isFilterExact = false
      filterReasons = ["the predicate is more than SQLite compiles"]
    } else if let predicate = request.predicate {
      let translated = try PredicateTranslator(
        plan: request.plan, plans: plansByType, storeIdentifier: identifier,
        changed: request.changed
      ).translate(predicate)
      isFilterExact = translated.isExact
      filterReasons = translated.reasons
      if let condition = translated.condition {
        // What can fail must not be asked of rows that are left out.
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
      plan: request.plan, plans: plansByType, changed: request.changed
    ).translate(request.sortBy)
    if let terms = order.terms {
      source += " ORDER BY " + terms.sql
      bindings += terms.bindings
    }
    if isFilterExact && order.isExact { source += Self.window(request) }
    // What is filtered or sorted in memory may need any property.
    let properties = isFilterExact && order.isExact ? request.properties : nil
    return StoreQuery(
      plan: request.plan, isFilterExact: isFilterExact, isSortExact: order.isExact,
      properties: properties,
      statement: SQLiteQuery(
        source: source, bindings: bindings, statements: statements,
        select: properties.map(statements.select(properties:)), filterReasons: filterReasons,
        sortReason: order.reason))
  }

  package func prepare(
    rowIDs: [Int64], of plan: EntityPlan, properties: [Int]?
  ) throws -> StoreQuery {
    let statements = try statements(of: plan)
    return StoreQuery(
      plan: plan, isFilterExact: true, isSortExact: true, properties: properties,
      statement: SQLiteQuery(
        source: " WHERE t0.\"_id\" IN (SELECT value FROM json_each(?))"
          + (statements.condition.map { " AND \($0)" } ?? ""),
        bindings: [.text(Self.list(rowIDs))],
        statements: statements, select: properties.map(statements.select(properties:))))
  }

  /// Limit and offset. A limit of 0 means none, as in Core Data; SQLite's word for that is -1.
  private static func window<Model: PersistentModel>(_ request: StoreRequest<Model>) -> String {
    let limit = request.limit.flatMap { $0 > 0 ? $0 : nil }
    let offset = request.offset ?? 0
    if limit == nil && offset == 0 { return "" }
    return " LIMIT \(limit ?? -1)" + (offset > 0 ? " OFFSET \(offset)" : "")
  }

  func statements(of plan: EntityPlan) throws -> EntityStatements {
    guard let statements = statements[plan.name] else {
      throw SwiftDataError.unknownSchema.explained("The store \(name) doesn't hold \(plan.name).")
    }
    return statements
  }

  func sqlite(_ query: StoreQuery) throws -> SQLiteQuery {
    guard let statement = query.statement as? SQLiteQuery else {
      throw SwiftDataError.unknownSchema.explained("The query was made for another store.")
    }
    return statement
  }

  package func forEachRow(
    of query: StoreQuery, _ body: (UInt64, StoredRow) throws -> Void
  ) throws {
    let query = try sqlite(query)
    try withReader { connection in
      let generation = generation
      let statement = try connection.statement(
        (query.select ?? query.statements.select) + query.source)
      defer { statement.reset() }
      try statement.bind(query.bindings)
      while try statement.step() {
        try pass(statement, from: 1, rowID: statement.rowID(), query.statements) { row in
          try body(generation, row)
        }
      }
    }
  }

  package func rowIDs(of query: StoreQuery) throws -> [Int64] {
    let query = try sqlite(query)
    return try withReader { connection in
      let statement = try connection.statement(
        "SELECT t0.\"_id\" FROM \(query.statements.table) AS t0" + query.source)
      defer { statement.reset() }
      try statement.bind(query.bindings)
      var rowIDs: [Int64] = []
      while try statement.step() { rowIDs.append(statement.rowID()) }
      return rowIDs
    }
  }

  package func count(of query: StoreQuery) throws -> Int {
    let query = try sqlite(query)
    let table = query.statements.table
    let sql =
      query.source.contains(" LIMIT ")
      ? "SELECT count(*) FROM (SELECT 1 FROM \(table) AS t0\(query.source))"
      : "SELECT count(*) FROM \(table) AS t0\(query.source)"
    return try withReader { Int(try $0.integer(sql, query.bindings) ?? 0) }
  }

  package func withRow(
    _ rowID: Int64, of plan: EntityPlan,
    _ body: (UInt64, StoredRow) throws -> Void
  ) throws -> Bool {
    let statements = try statements(of: plan)
    return try withReader { connection in
      let generation = generation
      let statement = try connection.statement(statements.selectByRowID)
      defer { statement.reset() }
      try statement.bind([.integer(rowID)])
      guard try statement.step() else { return false }
      try pass(statement, from: 1, rowID: rowID, statements) { try body(generation, $0) }
      return true
    }
  }

  package func forEachLinkedRow(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (UInt64, Int64, StoredRow) throws -> Void
  ) throws {
    guard let relationship = plan.properties[property].relationship,
      let destination = plansByType[ObjectIdentifier(relationship.destination)]
    else { return }
    let statements = try statements(of: destination)
    let sql = try statements.selectLinked(relationship)
    try withReader { connection in
      let generation = generation
      let statement = try connection.statement(sql)
      defer { statement.reset() }
      try statement.bind([.text(Self.list(owners))])
      while try statement.step() {
        try pass(statement, from: 2, rowID: statement.rowID(at: 1), statements) { row in
          try body(generation, statement.rowID(), row)
        }
      }
    }
  }

  package func owners(
    of plan: EntityPlan, _ property: Int, destinations: [Int64]
  ) throws -> [Int64] {
    let sql = try statements(of: plan).selectOwners(property)
    return try withReader { connection in
      let statement = try connection.statement(sql)
      defer { statement.reset() }
      try statement.bind([.text(Self.list(destinations))])
      var rowIDs: [Int64] = []
      while try statement.step() { rowIDs.append(statement.rowID()) }
      return rowIDs
    }
  }

  /// Row ids as one parameter, so that the statement's text doesn't depend on their number.
  static func list(_ rowIDs: [Int64]) -> String {
    "[\(rowIDs.map(String.init).joined(separator: ","))]"
  }

  /// Removes every model, in one transaction.
  public func erase() throws {
    let written = try withWriter { connection in
      let written = try connection.recordedTransaction(author: nil) {
        // Rows that refer to each other go in one transaction, whose end checks the references.
        // Delete rules guard single models; here everything goes.
        for plan in plans {
          for statement in RelationshipTables.emptying(plan) { try connection.execute(statement) }
        }
        for plan in plans {
          try connection.execute("DELETE FROM \(SQLIdentifier.quoted(plan.table))")
        }
      }.written
      attributes.removeGarbage(on: connection)
      return written
    }
    note(written, author: nil)
  }
}
