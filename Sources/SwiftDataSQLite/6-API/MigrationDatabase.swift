import CSQLite
import SwiftDataCore
import SwiftDataSQL

extension ModelContext {
  /// The store's database, while a custom stage of a migration runs with this context; nil at all other times.
  ///
  /// Changes made by SQL are a part of the migration's transaction. Save the context before, and fetch its models again
  /// afterwards: the context isn't notified of such changes. An addition to Apple's interface.
  public var migrationDatabase: MigrationDatabase? {
    for case let store as DefaultStore in container.core.stores {
      if let stage = store.stage { return MigrationDatabase(stage) }
    }
    return nil
  }
}

/// SQL and raw rows in a custom stage. The decision on the file describes the tables
/// (docs/decisions/0004-a-plain-file.md): one per entity, a column per property, row ID `_id`.
public struct MigrationDatabase {
  /// A value of a column.
  public enum Value: Hashable, Sendable {
    /// NULL.
    case null
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
  }

  /// A row: its values by the names of the query's columns.
  public struct Row: Sendable {
    /// The names of the columns in order.
    public let columns: [String]
    /// The values in the same order.
    public let values: [Value]

    /// The value of the first column with a name; nil when there is none.
    public subscript(column: String) -> Value? {
      columns.firstIndex(of: column).map { values[$0] }
    }
  }

  private let stage: MigrationStageConnection

  init(_ stage: MigrationStageConnection) { self.stage = stage }

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - sql: One statement with `?` for values. Beginning and ending transactions and attaching other files is
  ///     refused, because it would break up the migration's transaction.
  ///   - values: The values, in order.
  /// - Returns: The number of inserted, changed or deleted rows.
  /// - Throws: ``StoreError`` when SQLite refuses it, ``MigrationError`` when the stage is over.
  @discardableResult
  public func execute(_ sql: String, _ values: [Value] = []) throws -> Int {
    let connection = try stage.connection
    let statement = try prepare(sql, values, connection)
    try statement.run()
    return Int(sqlite3_changes64(connection.handle))
  }

  /// Calls `body` with each row of a query; memory doesn't grow with their number.
  ///
  /// - Throws: The error of `body`, ``StoreError`` when SQLite refuses the query, ``MigrationError`` when the stage is
  ///   over.
  public func forEachRow(
    _ sql: String, _ values: [Value] = [], _ body: (Row) throws -> Void
  ) throws {
    let statement = try prepare(sql, values, try stage.connection)
    defer { statement.reset() }
    let columns = (0..<sqlite3_column_count(statement.handle)).map { index in
      sqlite3_column_name(statement.handle, index).map { String(cString: $0) } ?? ""
    }
    while try statement.step() {
      try body(Row(columns: columns, values: statement.row(from: 0).map { Value(SQLValue($0)) }))
    }
  }

  /// All rows of a query.
  public func rows(_ sql: String, _ values: [Value] = []) throws -> [Row] {
    var rows: [Row] = []
    try forEachRow(sql, values) { rows.append($0) }
    return rows
  }

  private func prepare(
    _ sql: String, _ values: [Value], _ connection: Connection
  ) throws -> Statement {
    sqlite3_set_authorizer(
      connection.handle,
      { _, action, _, _, _, _ in
        switch action {
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH: SQLITE_DENY
        default: SQLITE_OK
        }
      }, nil)
    defer { sqlite3_set_authorizer(connection.handle, nil, nil) }
    let statement = try Statement(sql, on: connection)
    try statement.bind(values.map(\.sqlValue))
    return statement
  }
}

extension MigrationDatabase.Value {
  fileprivate init(_ value: SQLValue) {
    switch value {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let text): self = .text(text)
    case .blob(let bytes): self = .blob(bytes)
    }
  }

  fileprivate var sqlValue: SQLValue {
    switch self {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let text): .text(text)
    case .blob(let bytes): .blob(bytes)
    }
  }
}
