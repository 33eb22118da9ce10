import SwiftDataCore
import SwiftDataSQL

extension DefaultStore: RowIDStore {
  func sqlite(_ query: StoreQuery) throws -> SQLiteQuery {
    guard let statement = query.statement as? SQLiteQuery else {
      throw SwiftDataError.unknownSchema.explained("The query was made for another store.")
    }
    return statement
  }

  package func forEachRow(
    of query: StoreQuery, _ body: (UInt64, RowView) throws -> Void
  ) throws {
    let query = try sqlite(query)
    try withReader(sharesTransaction: true) { connection in
      let generation = generation
      let statements = query.statements
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
      if try query.forEachRowInRanges(by: statements.selectRange, connection, passPlain) {
        return
      }
      let statement = try connection.statement(query.text)
      defer { statement.reset() }
      try statement.bind(query.bindings)
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
        try withOpenedRow(statement, from: 1, rowID: statement.rowID(), statements) { row in
          try body(generation, row)
        }
      }
    }
  }

  package func rowIDs(of query: StoreQuery) throws -> [Int64] {
    let query = try sqlite(query)
    return try withReader(sharesTransaction: true) { connection in
      let statement = try connection.statement(
        "SELECT t0.\(SQLIdentifier.rowID) FROM \(query.statements.table) AS t0" + query.source)
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
    return try withReader(sharesTransaction: true) {
      Int(try $0.integer(sql, query.bindings) ?? 0)
    }
  }

  package func withRow(
    _ rowID: Int64, of plan: EntityPlan,
    _ body: (UInt64, RowView) throws -> Void
  ) throws -> Bool {
    let statements = try statements(of: plan)
    return try withReader(sharesTransaction: true) { connection in
      let generation = generation
      let statement = try connection.statement(statements.selectByRowID)
      defer { statement.reset() }
      try statement.bind(.integer(rowID), at: 1)
      guard try statement.step() else { return false }
      try withOpenedRow(statement, from: 1, rowID: rowID, statements) { try body(generation, $0) }
      return true
    }
  }

  package func forEachLinkedRow(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (UInt64, Int64, RowView) throws -> Void
  ) throws {
    guard let relationship = plan.properties[property].relationship,
      let destination = plansByType[ObjectIdentifier(relationship.destination)]
    else { return }
    let statements = try statements(of: destination)
    let sql = try statements.selectLinked(relationship)
    try withReader(sharesTransaction: true) { connection in
      let generation = generation
      let statement = try connection.statement(sql)
      defer { statement.reset() }
      try statement.bind([.text(Self.list(owners))])
      var heapReservation = HeapReservation()
      if statements.isPlain {
        let plan = PlanReference(statements.plan)
        while try statement.step() {
          heapReservation.next()
          let cells = statement.row(from: 2)
          let row = RowView(
            plan: plan, rowID: statement.rowIDOfRow(at: 1), cells: cells,
            texts: statement.texts(from: 2))
          try body(generation, statement.rowIDOfRow(), row)
        }
        return
      }
      while try statement.step() {
        heapReservation.next()
        try withOpenedRow(statement, from: 2, rowID: statement.rowID(at: 1), statements) { row in
          try body(generation, statement.rowID(), row)
        }
      }
    }
  }

  package func owners(
    of plan: EntityPlan, _ property: Int, destinations: [Int64]
  ) throws -> [Int64] {
    let sql = try statements(of: plan).selectOwners(property)
    return try withReader(sharesTransaction: true) { connection in
      let statement = try connection.statement(sql)
      defer { statement.reset() }
      try statement.bind([.text(Self.list(destinations))])
      var rowIDs: [Int64] = []
      while try statement.step() { rowIDs.append(statement.rowID()) }
      return rowIDs
    }
  }

  /// Row IDs as one parameter, so that the statement's text doesn't depend on their number.
  static func list(_ rowIDs: [Int64]) -> String {
    "[\(rowIDs.map(String.init).joined(separator: ","))]"
  }

  /// Removes every model, in one transaction.
  public func erase() throws {
    let written = try withWriter { connection in
      let written = try connection.recordedTransaction(author: nil) {
        // Rows that refer to each other are deleted in one transaction, whose end checks the
        // references. Delete rules protect single models; here all models are deleted.
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
    recordCommit(written, author: nil)
  }
}
