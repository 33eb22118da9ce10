import SwiftDataCore
import SwiftDataSQL

extension DefaultStore {
  /// Calls `body` with the opened row at which a statement is positioned. A missing file of the row may have been
  /// removed after a commit that the statement doesn't see: then the row is read once more, in its current state.
  ///
  /// - Parameters:
  ///   - first: The statement's column with which the row begins.
  ///   - rowID: The row's ID.
  func withOpenedRow<Result>(
    _ statement: Statement, from first: Int, rowID: Int64, _ statements: EntityStatements,
    _ body: (RowView) throws -> Result
  ) throws -> Result {
    guard attributes.files != nil else {
      return try withCurrentRow(statement, from: first, rowID: rowID, statements, body)
    }
    var isOpened = false
    do {
      return try withCurrentRow(statement, from: first, rowID: rowID, statements) { row in
        isOpened = true
        return try body(row)
      }
    } catch let error as StoreError where error.code == .missingFile && !isOpened {
      return try withRereadRow(rowID, statements, body)
    }
  }

  private func withRereadRow<Result>(
    _ rowID: Int64, _ statements: EntityStatements, _ body: (RowView) throws -> Result
  ) throws -> Result {
    try readers.withConnection { connection, _ in
      connection.endReadTransaction()
      let statement = try connection.statement(statements.selectByRowID)
      defer { statement.reset() }
      try statement.bind(.integer(rowID), at: 1)
      guard try statement.step() else {
        throw StoreError(
          .busy, path: location.path,
          explanation:
            "row \(rowID) of \(statements.plan.table) was deleted while it was being read; fetch again"
        )
      }
      return try withCurrentRow(statement, from: 1, rowID: rowID, statements, body)
    }
  }

  /// Passes the row at which a statement is positioned to `body`.
  ///
  /// - Parameters:
  ///   - first: The statement's column with which the row's columns begin.
  ///   - rowID: The row's ID.
  func withCurrentRow<Result>(
    _ statement: Statement, from first: Int, rowID: Int64, _ statements: EntityStatements,
    _ body: (RowView) throws -> Result
  ) throws -> Result {
    guard let family = statements.family else {
      return try statements.withPlainCells(statement.row(from: first)) { cells in
        try body(RowView(plan: statements.plan, rowID: rowID, cells: cells))
      }
    }
    let entity = statement.string(at: Int32(first))
    guard let member = family[entity] else {
      throw StoreError(
        .schemaMismatch, path: location.path,
        explanation:
          "row \(rowID) of the table \(statements.plan.table) is a \(entity), which isn't part of"
          + " the container's schema below \(statements.plan.name). List the class in the schema")
    }
    let all = statement.row(from: first + 1)
    return try member.positions.map { all[$0] }.withUnsafeBufferPointer { cells in
      try self.statements(of: member.plan).withPlainCells(cells) { cells in
        try body(RowView(plan: member.plan, rowID: rowID, cells: cells))
      }
    }
  }
}
