import CPostgres
import SwiftDataCore

extension PostgresConnection {
  /// Runs statements one after the other with one wait: all are sent before the first answer is read. An error ends
  /// them, and undoes them unless they are in a transaction that was begun before.
  ///
  /// - Returns: A result for each.
  @discardableResult
  package func run(_ commands: [PostgresCommand]) throws -> [PostgresResult] {
    if !deferred.isEmpty { return try runBehindDeferred(commands) }
    guard let first = commands.first else { return [] }
    guard commands.count > 1 else { return [try run(first)] }
    var results: [PostgresResult] = []
    results.reserveCapacity(commands.count)
    try runInPipeline(commands) { _, result in results.append(result) }
    return results
  }

  /// Runs statements like ``run(_:)-([PostgresCommand])``, and calls `body` with the position and the result of each as
  /// it arrives, while the server is at the next one. `body` must not use the connection.
  func forEachResult(
    of commands: [PostgresCommand], _ body: (Int, PostgresResult) throws -> Void
  ) throws {
    try sendDeferred()
    try runInPipeline(commands, body)
  }

  private func runInPipeline(
    _ commands: [PostgresCommand], _ body: (Int, PostgresResult) throws -> Void
  ) throws {
    try exclusively {
      let forms = try forms(of: commands)
      let runs = zip(commands, forms).map { beginCounting($0, $1) }
      try sendingInPipeline(commands, forms) {
        for (index, command) in commands.enumerated() {
          let result = try pipelineResult(command)
          endCounting(runs[index], command, result.rowCount)
          try body(index, result)
        }
      }
    }
  }

  /// Runs one statement.
  @discardableResult
  package func run(_ sql: String, _ values: [ColumnValue] = []) throws -> PostgresResult {
    try run(PostgresCommand(sql, values))
  }

  @discardableResult
  package func run(_ command: PostgresCommand) throws -> PostgresResult {
    if !deferred.isEmpty { return try runBehindDeferred([command])[0] }
    return try exclusively {
      let form = try form(of: command)
      let run = beginCounting(command, form)
      try send(command, form)
      let result = try finish(command)
      endCounting(run, command, result.rowCount)
      return result
    }
  }

  /// Runs a statement and calls `body` with each row when it arrives, so that memory doesn't grow with their number.
  /// The cells are valid during the call.
  ///
  /// - Parameter kinds: The kinds of the columns, see ``PostgresRowReader``.
  package func forEachRow(
    of command: PostgresCommand, kinds: [ColumnKind?] = [],
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    try sendDeferred()
    try exclusively {
      let form = try form(of: command)
      let run = beginCounting(command, form)
      var count = 0
      try send(command, form)
      defer { endCounting(run, command, count) }
      // https://www.postgresql.org/docs/15/libpq-single-row-mode.html
      guard PQsetSingleRowMode(handle) == 1 else { throw error(nil, sql: command.sql) }
      isInSingleRowMode = true
      var reader: PostgresRowReader?
      while let next = PQgetResult(handle) {
        let result = PostgresResult(next)
        guard PQresultStatus(next) == PGRES_SINGLE_TUPLE else {
          guard Self.isSuccess(next) else { throw failure(next, command) }
          continue
        }
        let rows = reader ?? PostgresRowReader(result, kinds: kinds)
        reader = rows
        count += 1
        do { try body(rows.cells(of: result, 0)) } catch {
          cancellation.send()
          discardResults()
          throw error
        }
      }
    }
  }

  // MARK: - Deferred statements

  /// The number of statements that are deferred together.
  private static let maximumDeferred = 64

  /// Adds a statement whose result isn't needed to the open transaction. It is sent with the next one that is waited
  /// for, which throws its error.
  func runLater(_ command: PostgresCommand) throws {
    if deferred.count >= Self.maximumDeferred { try sendDeferred() }
    deferred.append(command)
  }

  /// Runs what was deferred.
  func sendDeferred() throws {
    if !deferred.isEmpty { try runBehindDeferred([]) }
  }

  /// Runs statements with those that were deferred before them, with one wait.
  @discardableResult
  private func runBehindDeferred(_ commands: [PostgresCommand]) throws -> [PostgresResult] {
    let earlier = try takeDeferred(before: commands)
    return Array(try run(earlier + commands).dropFirst(earlier.count))
  }

  /// Returns the deferred statements, to be sent before others.
  func takeDeferred(before commands: [PostgresCommand]) throws -> [PostgresCommand] {
    let earlier = deferred
    deferred = []
    // The server can find the tables of a new statement when the transaction has begun.
    guard commands.contains(where: { !isKnown($0) }) || earlier.contains(where: { !isKnown($0) })
    else { return earlier }
    let settings = earlier.prefix { $0.values.isEmpty }
    try run(Array(settings))
    return Array(earlier.dropFirst(settings.count))
  }

  /// Whether a statement can be sent without a question about its parameters.
  private func isKnown(_ command: PostgresCommand) -> Bool {
    command.values.isEmpty && !(command.isFrequent && namesStatements)
      || statements[command.sql] != nil
  }

  // MARK: - Forms

  /// The parameter types of a statement, which the server infers and the connection keeps.
  ///
  /// - Throws: ``StoreError`` for a statement that the server refuses.
  package func parameterTypes(of sql: String) throws -> [PostgresType] {
    try sendDeferred()
    return try exclusively { try describedForm(of: sql).types }
  }

  /// The number of a statement's parameters, and the types of its columns by name, without running it.
  func shape(
    of sql: String
  ) throws -> (parameterCount: Int, columns: [(name: String, type: PostgresType)]) {
    try sendDeferred()
    return try exclusively {
      let description = try describe(sql, "")
      let columns = (0..<description.columnCount).map {
        (description.name(of: $0), description.type(of: $0))
      }
      return (Int(PQnparams(description.handle)), columns)
    }
  }

  /// The forms of statements that are sent together.
  func forms(of commands: [PostgresCommand]) throws -> [PostgresStatementForm] {
    var forms: [PostgresStatementForm] = []
    // A new form may take the place of one that was just found, the oldest first. Each round makes at least one more of
    // them the newest one.
    for _ in 0...commands.count {
      let dropCount = statements.dropCount
      forms = try commands.map { try form(of: $0) }
      if statements.dropCount == dropCount { break }
    }
    return forms
  }

  private func form(of command: PostgresCommand) throws -> PostgresStatementForm {
    // Nothing has to be known of a statement without parameters.
    if let known = statements[command.sql] { return known }
    return isKnown(command) ? .unprepared(command.sql) : try describedForm(of: command.sql)
  }

  private func describedForm(of sql: String) throws -> PostgresStatementForm {
    if let known = statements[sql] { return known }
    let name = namesStatements ? statements.makeName() : ""
    let types = try prepare(sql, name)
    let form = PostgresStatementForm(name: name, types: types, of: sql)
    if let dropped = statements.insert(form, for: sql) {
      let end = PostgresCommand("DEALLOCATE \(dropped)")
      try send(end, .unprepared(end.sql))
      _ = try finish(end)
    }
    return form
  }

  /// Prepares a statement and asks for its parameters with one wait.
  private func prepare(_ sql: String, _ name: String) throws -> [PostgresType] {
    let description = try describe(sql, name)
    return (0..<PQnparams(description.handle)).map {
      PostgresType(PQparamtype(description.handle, $0))
    }
  }

  private func describe(_ sql: String, _ name: String) throws -> PostgresResult {
    try inPipeline(sql) {
      guard PQsendPrepare(handle, name, sql, 0, nil) == 1,
        PQsendDescribePrepared(handle, name) == 1, PQpipelineSync(handle) == 1
      else { throw error(nil, sql: sql) }
      let command = PostgresCommand(sql)
      _ = try pipelineResult(command)
      return try pipelineResult(command)
    }
  }

  /// Forgets the statements that are known, because their tables have changed.
  func forgetStatements() throws {
    statements = PostgresStatementCache()
    if namesStatements { try execute("DEALLOCATE ALL") }
  }

  // MARK: - Sending

  private func send(_ command: PostgresCommand, _ form: PostgresStatementForm) throws {
    try send(command, form, try parameters(of: command, form))
  }

  private func parameters(
    of command: PostgresCommand, _ form: PostgresStatementForm
  ) throws -> PostgresParameters {
    do { return try PostgresParameters(command.values, types: form.types) } catch {
      throw self.error(error, sql: command.sql)
    }
  }

  private func send(
    _ command: PostgresCommand, _ form: PostgresStatementForm, _ parameters: PostgresParameters
  ) throws {
    let isSent = parameters.withArguments { count, types, values, lengths, formats in
      form.name.isEmpty
        ? PQsendQueryParams(handle, command.sql, count, types, values, lengths, formats, 1)
        : PQsendQueryPrepared(handle, form.name, count, values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw error(nil, sql: command.sql) }
    isInSingleRowMode = false
  }

  /// The result of the statement that was sent, when the connection isn't in pipeline mode.
  func finish(_ command: PostgresCommand) throws -> PostgresResult {
    var last: PostgresResult?
    while let next = PQgetResult(handle) {
      let result = PostgresResult(next)
      guard Self.isSuccess(next) else { throw failure(next, command) }
      last = result
    }
    guard let last else { throw error(nil, sql: command.sql) }
    return last
  }

  /// The error of a result, when whatever follows it has been read.
  func failure(_ result: OpaquePointer?, _ command: PostgresCommand) -> StoreError {
    let failure = error(result, sql: command.sql)
    discardResults()
    // The server no longer has the statement, or its tables have changed.
    if failure.sqlState == "26000" || failure.sqlState == "0A000" { statements.remove(command.sql) }
    return failure
  }

  func discardResults() {
    while let rest = PQgetResult(handle) { PQclear(rest) }
  }

  // MARK: - Pipelines

  /// Sends statements, and calls `body` to read their results.
  func sendingInPipeline<Result>(
    _ commands: [PostgresCommand], _ forms: [PostgresStatementForm], _ body: () throws -> Result
  ) throws -> Result {
    guard let first = commands.first else { return try body() }
    // A value without a form must be found before anything is sent.
    let parameters = try zip(commands, forms).map { try self.parameters(of: $0, $1) }
    return try inPipeline(first.sql) {
      // libpq ends the mode of the last statement with the next one outside of a pipeline, or the next result in one.
      let hasMode = isInSingleRowMode
      if hasMode { guard PQpipelineSync(handle) == 1 else { throw error(nil, sql: first.sql) } }
      for (index, command) in commands.enumerated() {
        try send(command, forms[index], parameters[index])
      }
      guard PQpipelineSync(handle) == 1 else { throw error(nil, sql: first.sql) }
      if hasMode { try takeSynchronization(first.sql) }
      return try body()
    }
  }

  /// Reads the answer to the synchronization before the first statement. The server's message that it has ended the
  /// connection may come in its place.
  private func takeSynchronization(_ sql: String) throws {
    let answer = PQgetResult(handle)
    defer { PQclear(answer) }
    guard PQresultStatus(answer) == PGRES_PIPELINE_SYNC else { throw error(answer, sql: sql) }
  }

  /// Runs `body` in pipeline mode (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html), which must not leave
  /// anything to be read except a synchronization.
  private func inPipeline<Result>(_ sql: String, _ body: () throws -> Result) throws -> Result {
    guard PQenterPipelineMode(handle) == 1 else { throw error(nil, sql: sql) }
    let result: Result
    do { result = try body() } catch {
      leavePipeline()
      throw error
    }
    leavePipeline()
    return result
  }

  /// Reads to the end of what was sent, and leaves pipeline mode.
  private func leavePipeline() {
    // There is no result between two statements, and none at all from a lost connection.
    var misses = 0
    while !isLost, misses < 2 {
      guard let result = PQgetResult(handle) else {
        misses += 1
        continue
      }
      misses = 0
      let isEnd = PQresultStatus(result) == PGRES_PIPELINE_SYNC
      PQclear(result)
      if isEnd { break }
    }
    _ = PQexitPipelineMode(handle)
  }

  /// The result of the next statement in the pipeline.
  func pipelineResult(_ command: PostgresCommand) throws -> PostgresResult {
    var found: PostgresResult?
    while let next = PQgetResult(handle) {
      let result = PostgresResult(next)
      guard Self.isSuccess(next) else {
        let failure = error(next, sql: command.sql)
        if failure.sqlState == "26000" || failure.sqlState == "0A000" {
          statements.remove(command.sql)
        }
        throw failure
      }
      found = result
    }
    guard let found else { throw error(nil, sql: command.sql) }
    return found
  }
}
