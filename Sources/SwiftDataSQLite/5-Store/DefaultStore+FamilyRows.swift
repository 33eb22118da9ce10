import SwiftDataCore
import SwiftDataSQL

extension DefaultStore {
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
