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
          throw otherClass(statement.rowID(), statement.string(at: 1))
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

  private func otherClass(_ rowID: Int64, _ entity: String) -> StoreError {
    StoreError(
      .notUnique, path: connection.path,
      explanation:
        "a \(plan.name) would replace row \(rowID), which has the same unique value but is a"
        + " \(entity); a model can't change its class, so delete that one or change the value")
  }

  func collision(_ error: StoreError) throws -> StoreError {
    let found = try conflicting()
    guard Set(found.map(\.rowID)).count > 1 else { return error }
    return Self.collision(plan, connection.path, found)
  }

  static func collision(
    _ plan: EntityPlan, _ path: String, _ found: [Conflict]
  ) -> StoreError {
    let rows = found.map { conflict in
      let names = conflict.constraint.map { plan.columns[$0].name }.joined(separator: ", ")
      return "row \(conflict.rowID) by \(names)"
    }
    return StoreError(
      .notUnique, path: path,
      explanation: "a \(plan.name) would have to replace two stored ones at once:"
        + " \(rows.joined(separator: " and ")); delete one of them, or change the unique values")
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
