import CSQLite
import SwiftDataCore
import SwiftDataSQL

extension DefaultStore: SQLReading, StatementCounting {
  /// Runs a read-only statement, and decodes each of its rows.
  ///
  /// - Parameter count: The required number of columns; nil for one or more.
  /// - Throws: ``StatementRefusal`` for a statement that can't be used, and for a value of another type than `decode`
  ///   reads.
  package func rows<Row>(
    of fragment: SQLFragment, count: Int?, _ decode: (inout _RowReader) throws -> Row
  ) throws -> [Row] {
    try connections.sqlReaders.withConnection { connection in
      let statement = try checked(fragment, count: count, on: connection)
      defer { statement.reset() }
      try statement.bind(fragment.bindings)
      var rows: [Row] = []
      while try statement.step() {
        var reader = _RowReader(cells: statement.row(from: 0), plan: .anonymous, state: nil)
        do {
          rows.append(try decode(&reader))
        } catch let error as RowDecodingError {
          let column = reader.column - 1
          let name =
            sqlite3_column_name(statement.handle, Int32(column)).map { String(cString: $0) } ?? "?"
          throw StatementRefusal(
            error, column: column, named: name, row: rows.count + 1, sql: statement.sql)
        }
      }
      return rows
    }
  }

  /// The statement, after checking that it only reads.
  private func checked(
    _ fragment: SQLFragment, count: Int?, on connection: Connection
  ) throws -> Statement {
    let sql = fragment.sql
    let statement: Statement
    switch connection.extent(of: sql) {
    case .nothing: throw StatementRefusal(.empty, "There is no statement.", sql: sql)
    case .several:
      throw StatementRefusal(
        .severalStatements, "Only one statement can be run at a time.", sql: sql)
    case .one: break
    }
    do { statement = try connection.statement(sql) } catch let error as StoreError
      where error.isRefusal
    {
      throw StatementRefusal(
        .denied, "The statement may only read: \(error.explanation).", sql: sql)
    }
    guard sqlite3_stmt_readonly(statement.handle) != 0 else {
      throw StatementRefusal(
        .writes, "The statement would write. Change models and save the context instead.", sql: sql)
    }
    guard Int(sqlite3_bind_parameter_count(statement.handle)) == fragment.bindings.count else {
      throw StatementRefusal(
        .parameters, "The text has parameters of its own. Interpolate the values instead.", sql: sql
      )
    }
    let columns = Int(sqlite3_column_count(statement.handle))
    guard count.map({ $0 == columns }) ?? (columns > 0) else {
      throw StatementRefusal(columns: columns, wanted: count, sql: sql)
    }
    return statement
  }
}
