import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: SQLReading, StatementCounting {
  /// Runs a statement in a transaction that only reads, and decodes each of its rows.
  ///
  /// Numbers of the type `numeric` without a fraction are read as integers, others as decimal numbers; time stamps are
  /// read as dates, and dates as texts.
  package func rows<Row>(
    of fragment: SQLFragment, count: Int?, _ decode: (inout _RowReader) throws -> Row
  ) throws -> [Row] {
    let sql = PostgresStatementText.finished(fragment.sql)
    guard !PostgresStatementText.isEmpty(sql) else {
      throw StatementRefusal(.empty, "There is no statement.", sql: fragment.sql)
    }
    return try withConnection { connection in
      try connection.begin(.reading)
      // A statement's changes to the session end with the transaction.
      defer { connection.rollBack() }
      try check(sql, fragment, count: count, connection)
      let command = PostgresCommand(sql, fragment.bindings.map { .value($0) })
      let result: PostgresResult
      do { result = try connection.run(command) } catch let error as StoreError
        where error.sqlState == "25006"
      {
        throw StatementRefusal(
          .writes, "The statement would write. Change models and save the context instead.",
          sql: fragment.sql)
      }
      return try rows(of: result, fragment, decode)
    }
  }

  /// Checks a statement before it is run.
  private func check(
    _ sql: String, _ fragment: SQLFragment, count: Int?, _ connection: PostgresConnection
  ) throws {
    let form: (parameterCount: Int, columns: [(name: String, type: PostgresType)])
    do { form = try connection.shape(of: sql) } catch let error as StoreError
      where error.sqlState == "42601" && error.explanation.contains("multiple commands")
    {
      throw StatementRefusal(
        .severalStatements, "Only one statement can be run at a time.", sql: fragment.sql)
    }
    guard form.parameterCount == fragment.bindings.count,
      !PostgresStatementText.hasParameters(fragment.sql)
    else {
      throw StatementRefusal(
        .parameters, "The text has parameters of its own. Interpolate the values instead.",
        sql: fragment.sql)
    }
    // A statement without columns is none that reads: it would end the transaction, or change settings.
    guard !form.columns.isEmpty else {
      throw StatementRefusal(
        .denied, "The statement may only read: it gives no rows.", sql: fragment.sql)
    }
    guard count.map({ $0 == form.columns.count }) ?? true else {
      throw StatementRefusal(columns: form.columns.count, wanted: count, sql: fragment.sql)
    }
    if let foreign = form.columns.first(where: { !$0.type.isReadable }) {
      throw StatementRefusal(
        .wrongType,
        "The column \(foreign.name) is of a type that no value of Swift has. Convert it in the statement,"
          + " as by \(foreign.name)::text.", sql: fragment.sql)
    }
  }

  private func rows<Row>(
    of result: PostgresResult, _ fragment: SQLFragment,
    _ decode: (inout _RowReader) throws -> Row
  ) throws -> [Row] {
    let cells = PostgresRowReader(result, readsForeignTypes: true)
    return try (0..<result.rowCount).map { row in
      var reader = _RowReader(cells: cells.cells(of: result, row), plan: .anonymous, state: nil)
      do { return try decode(&reader) } catch let error as RowDecodingError {
        let column = reader.column - 1
        throw StatementRefusal(
          error, column: column, named: result.name(of: column), row: row + 1, sql: fragment.sql)
      }
    }
  }
}
