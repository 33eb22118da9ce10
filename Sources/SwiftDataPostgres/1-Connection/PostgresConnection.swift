import CPostgres
import Foundation
import SwiftDataCore
import SwiftDataSQL

/// One connection to a server. It is used by one thread at a time; a call waits for the server's answer.
package final class PostgresConnection {
  let handle: OpaquePointer
  /// The server and the database, for errors.
  package let address: String
  private let options: PostgresConnectionOptions
  /// Whether a pooler gives the session to others between transactions.
  package let isPooled: Bool
  /// Whether statements are prepared under names.
  let namesStatements: Bool
  package let cancellation: PostgresCancellation
  /// The forms of the statements that were used, by their texts.
  var statements = PostgresStatementCache()
  /// The schema in which tables are found; nil for the server's setting.
  private var schema: String?
  /// Whether a call is being made.
  private var isInUse = false
  /// The number of open transactions: the first one, and the parts in it.
  var depth = 0
  /// Counts the statements; nil for a connection that isn't a store's.
  package var counter: StatementCounter?
  /// The insertion of rows in progress.
  var copying: Copying?
  /// Statements of the open transaction that are sent with the next one whose result is needed.
  var deferred: [PostgresCommand] = []
  /// Whether the last statement outside of a pipeline gave its rows one by one.
  var isInSingleRowMode = false
  /// The last failure of a foreign key.
  private(set) var failedKey: PostgresFailure?
  /// The commits that a copy of the server is known to have.
  var reached: CommitProgress?

  /// Connects.
  ///
  /// - Throws: ``StoreError`` with a code such as `noServer`, `accessDenied`, `tooManyConnections` and `readOnly`.
  package init(_ options: PostgresConnectionOptions) throws {
    let handle = try Self.connect(options)
    self.handle = handle
    self.options = options
    address = options.url.description
    cancellation = PostgresCancellation(handle)
    do {
      isPooled = try Self.beginSession(handle, options)
    } catch {
      PQfinish(handle)
      throw error
    }
    switch options.preparation {
    case .automatic: namesStatements = !isPooled
    case .always: namesStatements = true
    case .never: namesStatements = false
    }
  }

  deinit { PQfinish(handle) }

  /// The statements that follow BEGIN where the session isn't this connection's own.
  private func settings(of transaction: Transaction) -> [String] {
    guard isPooled else { return [] }
    return options.transactionSettings(isWriting: transaction == .writing)
      + (schema.map { ["SET LOCAL \(Self.searchPath($0))"] } ?? [])
  }

  private static func searchPath(_ schema: String) -> String {
    "search_path = \(SQLIdentifier.quoted(schema))"
  }

  /// Chooses the schema in which tables are found, outside of transactions. In a session that a pooler gives to others,
  /// the choice holds for transactions only.
  package func use(schema: String) throws {
    guard self.schema != schema else { return }
    if !isPooled { try execute("SET " + Self.searchPath(schema)) }
    self.schema = schema
  }

  /// Runs `body` with the chosen schema: in a transaction where the session isn't this connection's own.
  package func reading<Result>(_ body: () throws -> Result) throws -> Result {
    isPooled && !isInTransaction ? try transaction(.reading, body) : try body()
  }

  /// Whether the connection was lost.
  package var isLost: Bool { PQstatus(handle) != CONNECTION_OK }

  /// Whether a transaction is open, be it failed or not.
  package var isInTransaction: Bool {
    !deferred.isEmpty || PQtransactionStatus(handle) != PQTRANS_IDLE
  }

  /// The number of the server's process.
  package var processNumber: Int32 { PQbackendPID(handle) }

  /// Checks a connection that wasn't in use for a while, without asking the server: whatever has arrived meanwhile is
  /// the message of its end.
  package var isUsable: Bool {
    guard !isLost, !isInTransaction else { return false }
    guard hasInput else { return true }
    // The first call reads the message, the second one the end.
    for _ in 0..<2 where PQconsumeInput(handle) == 0 { return false }
    return !isLost
  }

  /// Whether something has arrived, the end of the connection included.
  private var hasInput: Bool {
    var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }

  /// Reads the end of a connection whose server has closed it. libpq counts a connection as lost when it reads that
  /// end, and not yet when it can't send anything: before the end, a message with the reason may have to be read. A
  /// server that goes on sending is left alone.
  private func noticeEnd() {
    for _ in 0..<1_000 where !isLost && hasInput { PQconsumeInput(handle) }
  }

  // MARK: - Errors

  /// The error of a result, or of the connection when there is none.
  func error(_ result: OpaquePointer?, sql: String?) -> StoreError {
    if let result {
      let failure = PostgresFailure(result)
      if !failure.sqlState.isEmpty {
        if failure.sqlState == PostgresFailure.foreignKey { failedKey = failure }
        return .postgres(
          failure, address: address, sql: sql, wasCancelled: cancellation.wasRequested)
      }
    }
    let reported = options.url.withoutSecrets(Self.message(of: handle))
    noticeEnd()
    let message = reported.isEmpty ? "the server gave no answer" : reported
    guard isLost else {
      return StoreError(.other, path: address, explanation: message, sql: sql)
    }
    return StoreError(
      .connectionLost, path: address,
      explanation: "the connection to the server was lost; try again (\(message))", sql: sql)
  }

  /// The error of a value that has no form for its parameter or column.
  func error(_ problem: PostgresValueProblem, sql: String?) -> StoreError {
    StoreError(.unsupportedValue, path: address, explanation: problem.explanation, sql: sql)
  }

  static func message(of handle: OpaquePointer) -> String {
    String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline)
      .joined(separator: " ")
  }

  // MARK: - Use

  /// Runs `body` as the connection's only call.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    try occupy()
    defer { vacate() }
    return try body()
  }

  /// Takes the connection for a call.
  func occupy() throws {
    guard !isInUse else {
      throw SwiftDataError.reentrantOperation.explained(
        "A connection to a server was used while it was giving rows. Use the rows after the call.")
    }
    isInUse = true
    cancellation.begin()
  }

  func vacate() { isInUse = false }

  /// Runs statements without parameters, separated by semicolons, and gives no rows.
  package func execute(_ sql: String) throws {
    try sendDeferred()
    try exclusively {
      let result = PQexec(handle, sql)
      defer { PQclear(result) }
      guard Self.isSuccess(result) else { throw error(result, sql: sql) }
    }
  }

  static func isSuccess(_ result: OpaquePointer?) -> Bool {
    let status = PQresultStatus(result)
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
  }

  // MARK: - Transactions

  package enum Transaction: String, Sendable {
    /// Each statement sees what was committed before it.
    case writing = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    /// All statements see one state.
    case reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  }

  /// Runs `body` in a transaction, which ends without effect when an error is thrown.
  @discardableResult
  package func transaction<Result>(
    _ transaction: Transaction = .writing, _ body: () throws -> Result
  ) throws -> Result {
    try begin(transaction)
    let result: Result
    do {
      result = try body()
      try commit()
    } catch {
      rollBack()
      throw error
    }
    return result
  }

  /// Begins a transaction, or a part of the open one that can end without effect by itself.
  package func begin(_ transaction: Transaction = .writing) throws {
    _ = try begin(transaction, with: [])
  }

  /// The statements that begin a transaction, or a part of the open one.
  func beginning(of transaction: Transaction) -> [PostgresCommand] {
    guard depth == 0 else { return [PostgresCommand("SAVEPOINT osd_\(depth)")] }
    return [PostgresCommand(transaction.rawValue, isFrequent: true)]
      + settings(of: transaction).map { PostgresCommand($0) }
  }

  /// Ends the transaction or the part that was begun last.
  package func commit() throws {
    guard !isPart else { return try endPart() }
    depth = 0
    // A COMMIT outside of a transaction would succeed, too.
    let isOpen = isInTransaction
    let result = try run([PostgresCommand("COMMIT")])
    guard isOpen, result.first?.command == "COMMIT" else { throw failedTransaction }
  }

  /// Whether the transaction that was begun last is a part of another one.
  var isPart: Bool { depth > 1 }

  private func endPart() throws {
    // Constraints that a part has checked are checked at the end of the whole again.
    try execute("RELEASE SAVEPOINT osd_\(depth - 1); SET CONSTRAINTS ALL DEFERRED")
    depth -= 1
  }

  /// The error of a COMMIT that the server answers with a rollback.
  var failedTransaction: StoreError {
    StoreError(
      .other, path: address,
      explanation: "the transaction had failed, so nothing was stored; repeat it")
  }

  /// Ends the transaction or the part that was begun last, without effect. A connection that fails to is lost, or will
  /// be discarded by its pool.
  package func rollBack() {
    let sql =
      depth > 1
      ? "ROLLBACK TO SAVEPOINT osd_\(depth - 1); RELEASE SAVEPOINT osd_\(depth - 1)" : "ROLLBACK"
    depth = max(0, depth - 1)
    deferred = []
    if copying != nil { cancelCopy(after: CancellationError()) }
    guard !isLost, isInTransaction else { return }
    do { try execute(sql) } catch {
      SwiftDataLog.report(.error, "Postgres", "a transaction couldn't be rolled back", error)
    }
  }

  /// Ends the transaction with all of its parts, without effect.
  package func rollBackAll() {
    depth = min(depth, 1)
    rollBack()
  }
}
