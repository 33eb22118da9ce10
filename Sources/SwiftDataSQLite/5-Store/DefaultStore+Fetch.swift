import SwiftDataCore
import SwiftDataSQL

extension DefaultStore: RowIDStore {
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

  /// Removes every model, and the records of copies, in one transaction.
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
        try StoreMetadata.deleteCopyRecords(on: connection)
      }.written
      attributes.removeGarbage(on: connection)
      return written
    }
    recordCommit(written, author: nil)
  }
}
