import SwiftDataCore
import SwiftDataSQL

/// The statements that read rows of an entity as values: the row's columns, preceded by values that only other tables
/// contain.
struct SnapshotStatements: Sendable {
  let select: String
  let selectRange: RowRangeReader.Statements
  let links: [Int: _SnapshotReader.Link]
  /// The number of columns before the row's.
  let extraCount: Int

  /// - Parameters:
  ///   - statements: The statements of the entity.
  ///   - plans: The store's plans by model type.
  init(_ statements: EntityStatements, plans: [ObjectIdentifier: EntityPlan]) {
    let columns = SnapshotColumns(statements.plan, plans: plans)
    links = columns.links
    extraCount = columns.extras.count
    select =
      "SELECT " + (["t0.\(SQLIdentifier.rowID)"] + columns.extras).joined(separator: ", ")
      + "\(statements.rowColumns) FROM \(statements.table) AS t0"
    selectRange = RowRangeReader.Statements(select)
  }
}

extension DefaultStore: SnapshotReading {}

extension SQLiteQuery {
  func forEachSnapshot(_ body: (Int64, inout _SnapshotReader) throws -> Void) throws {
    let statements = statements
    let snapshots = store.queries.snapshotStatements(statements, plans: store.plansByType)
    var reader = _SnapshotReader(
      plan: statements.plan, storeIdentifier: store.identifier, origins: store.entities.origins,
      links: snapshots.links)
    let first = 1 + snapshots.extraCount
    try store.withReader { connection in
      let isInRuns = try forEachRowInRanges(by: snapshots.selectRange, connection) {
        let rowID = reader.move(to: $0, extraCount: snapshots.extraCount)
        try body(rowID, &reader)
      }
      if isInRuns { return }
      let statement = try connection.statement(snapshots.select + source)
      defer { statement.reset() }
      try statement.bind(bindings)
      var heapReservation = HeapReservation()
      while try statement.step() {
        heapReservation.next()
        if statements.isPlain {
          let rowID = reader.move(to: statement, extraCount: snapshots.extraCount)
          try body(rowID, &reader)
        } else {
          let extras = statement.row(from: 1)
          let rowID = statement.rowIDOfRow()
          try store.withOpenedRow(statement, from: first, rowID: rowID, statements) { row in
            reader.move(to: row, extras: extras)
            try body(rowID, &reader)
          }
        }
      }
    }
  }
}

extension _SnapshotReader {
  /// Moves to the row at which a statement is positioned: its ID, values of other tables, and the row's columns
  /// unchanged.
  ///
  /// - Returns: The row's ID.
  fileprivate mutating func move(to statement: Statement, extraCount: Int) -> Int64 {
    let cells = statement.row(from: 1)
    let rowID = statement.rowIDOfRow()
    move(
      to: rowID, UnsafeBufferPointer(rebasing: cells[extraCount...]), extras: cells,
      texts: statement.texts(from: 1 + extraCount))
    return rowID
  }
}
