import SwiftDataCore
import SwiftDataSQL

extension DefaultStore {
  /// A writing connection for a batch, besides the one of saves.
  func batchConnection() throws -> Connection {
    func make() throws -> Connection {
      try Connection(location, role: .writer, isReadOnly: false, memory: configuration.memory)
    }
    let connection = try files?.open(make) ?? make()
    connection.files = files
    return connection
  }

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
}
