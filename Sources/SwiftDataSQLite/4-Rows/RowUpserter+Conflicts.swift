import SwiftDataCore
import SwiftDataSQL

/// The stored rows that a row conflicts with, and the errors that name them.
extension RowUpserter {
  typealias Conflict = (rowID: Int64, constraint: [Int])

  /// The stored rows that share a unique value with the row, by constraint.
  func conflicting() throws -> [Conflict] {
    var found: [Conflict] = []
    for constraint in plan.uniqueness {
      let statement = try connection.statement(statements.lookUpRow(constraint))
      defer { statement.reset() }
      try row.arena.withUnsafeBufferPointer { arena in
        for (position, column) in constraint.enumerated() {
          try statement.bind(
            row.cells[start + column..<start + column + 1], arena: arena.baseAddress,
            at: Int32(position + 1))
        }
        guard try statement.step() else { return }
        if plan.family != nil, statement.string(at: 1) != plan.name {
          throw StoreError.replacesOtherClass(
            plan, rowID: statement.rowID(), entity: statement.string(at: 1),
            path: connection.path)
        }
        found.append((statement.rowID(), constraint))
      }
    }
    return found
  }

  /// Whether the conflicting row has the values that an upsert by a clause without a target leaves: such a clause also
  /// applies to conflicts with indices of other programs, and leaves the rows of these conflicts unchanged.
  func isWritten(_ rowID: Int64?, _ changed: Bool) throws -> Bool {
    guard let rowID else { return false }
    let columns = upsertedColumns
    if changed || columns.isEmpty { return true }
    let statement = try connection.statement(statements.isUpserted(columns))
    defer { statement.reset() }
    return try row.arena.withUnsafeBufferPointer { arena in
      for (position, column) in columns.enumerated() {
        let cell = start + column
        try statement.bind(
          row.cells[cell..<cell + 1], arena: arena.baseAddress, at: Int32(position + 1))
      }
      try statement.bind(.integer(rowID), at: Int32(columns.count + 1))
      return try statement.step()
    }
  }

  func collision(_ error: StoreError) throws -> StoreError {
    let found = try conflicting()
    guard Set(found.map(\.rowID)).count > 1 else { return error }
    return .replacesSeveral(plan, rows: found, path: connection.path)
  }

  func missingValue(_ error: StoreError) -> StoreError {
    let missing = plan.columns.indices.filter {
      !plan.columns[$0].isOptional && row.cells[start + $0].kind == .null
    }
    let names = missing.map { "\(plan.name).\(plan.columns[$0].name)" }.joined(separator: ", ")
    return StoreError(
      .missingValue, path: error.path,
      explanation: "\(names) can't be nil and has no value; set it before saving",
      resultCode: error.resultCode, sql: error.sql)
  }
}
