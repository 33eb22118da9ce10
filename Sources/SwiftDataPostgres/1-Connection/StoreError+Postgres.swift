import CPostgres
import SwiftDataCore
import SwiftDataSQL

/// The facts of an error that a server reported.
package struct PostgresFailure: Sendable {
  /// https://www.postgresql.org/docs/15/errcodes-appendix.html
  package let sqlState: String
  /// The server's message, without the details, which have values.
  package let message: String
  package var constraint: String?
  package var table: String?
  package var column: String?
  /// Whether a foreign key failed because the row to which it leads was deleted, rather than because there is none.
  package var keepsDestination = false

  /// The SQLSTATE of a foreign key that failed.
  static let foreignKey = "23503"

  init(sqlState: String, message: String) {
    self.sqlState = sqlState
    self.message = message
  }

  /// The error of a result.
  init(_ result: OpaquePointer) {
    // https://www.postgresql.org/docs/15/libpq-exec.html#LIBPQ-PQRESULTERRORFIELD
    func field(_ code: Unicode.Scalar) -> String? {
      PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
    sqlState = field("C") ?? ""
    message = field("M") ?? ""
    constraint = field("n")
    table = field("t")
    column = field("c")
    // "Key (_id)=(5) is still referenced from table …", in the server's language.
    keepsDestination =
      sqlState == Self.foreignKey
      && field("D")?.contains("(\(SQLIdentifier.rowIDName))=") ?? false
  }
}

extension StoreError {
  /// The error of a failed statement.
  ///
  /// - Parameters:
  ///   - failure: The server's report.
  ///   - address: The store, without a password.
  ///   - wasCancelled: Whether this process has asked the server to stop.
  static func postgres(
    _ failure: PostgresFailure, address: String, sql: String? = nil, wasCancelled: Bool = false
  ) -> StoreError {
    let (code, advice) = meaning(of: failure, wasCancelled: wasCancelled)
    // Messages about data have the data in them.
    let isAboutData = failure.sqlState.hasPrefix("22")
    let message = isAboutData || failure.message.isEmpty ? "" : failure.message
    let fact = message.isEmpty ? "an operation failed" : message
    let explanation =
      advice.isEmpty ? fact : advice + (message.isEmpty ? "" : " (\(message))")
    return StoreError(
      code, path: address, explanation: explanation,
      sqlState: failure.sqlState.isEmpty ? nil : failure.sqlState, sql: sql)
  }

  private static func meaning(
    of failure: PostgresFailure, wasCancelled: Bool
  ) -> (Code, String) {
    if failure.sqlState == "57014" {
      return wasCancelled
        ? (.interrupted, "the operation was interrupted")
        : (
          .timedOut,
          "the server stopped a statement, because it took longer than statementTimeout or because"
            + " somebody cancelled it; ask for less, raise statementTimeout, or try again"
        )
    }
    if let known = meanings[failure.sqlState] { return known }
    return classes[String(failure.sqlState.prefix(2))] ?? (.other, "")
  }

  /// The meaning of a SQLSTATE for a store, and the remedy.
  private static let meanings: [String: (Code, String)] = {
    var meanings: [String: (Code, String)] = [:]
    for (code, states, advice) in table {
      for state in states { meanings[state] = (code, advice) }
    }
    return meanings
  }()

  private static let table: [(Code, [String], String)] = [
    (.noServer, ["08001"], "the server can't be reached; check that it runs, and the URL"),
    (.noServer, ["08004", "57P03"], "the server refuses connections at present; try again"),
    (.noServer, ["57P04"], "the database was removed"),
    (.cannotOpen, ["3D000"], "the database doesn't exist; create it, or correct the URL"),
    (
      .accessDenied, ["28000"],
      "the server refuses the user, or connections without TLS; check the URL with its sslmode, and"
        + " the server's pg_hba.conf"
    ),
    (.accessDenied, ["28P01"], "the password is refused; check the URL or the password file"),
    (.accessDenied, ["42501"], "the user lacks a privilege; grant it, or use another user"),
    (.readOnly, ["25006"], "it may only be read; use the URL of the primary server"),
    (
      .tooManyConnections, ["53300"],
      "the server has all connections that it permits; use fewer, or raise its max_connections"
    ),
    (
      .missingValue, ["23502", "23514"],
      "a property that can't be nil has no value; set it before saving"
    ),
    (
      .danglingReference, [PostgresFailure.foreignKey],
      "a relationship leads to a model that isn't stored"
    ),
    (.notUnique, ["23505"], "two models would share a unique value; change one of them"),
    (
      .schemaMismatch, ["3F000"],
      "the store's schema doesn't exist in the database; make a new container, which creates it,"
        + " or restore it from a copy"
    ),
    (
      .schemaMismatch, ["42703"],
      "a table lacks a column of the models, as after a migration by another program; start again"
        + " with the models of the store"
    ),
    (
      .schemaMismatch, ["42P01"],
      "a table of the models doesn't exist, as after a migration by another program; start again"
        + " with the models of the store"
    ),
    (.busy, ["40001"], "another transaction has changed the same rows; try again"),
    (.busy, ["40P01"], "two transactions waited for each other; try again"),
    (.busy, ["55P03"], "another transaction keeps the rows locked; try again"),
    (
      .diskFull, ["53100"],
      "the server's disk is full, so the change wasn't stored; make room and repeat it"
    ),
    (.other, ["53200"], "the server has no memory left; try again"),
    (.connectionLost, ["25P03"], "the server ended a transaction that was idle; repeat it"),
    (.connectionLost, ["57P01"], "the server ended the connection, as when it stops; try again"),
    (.connectionLost, ["57P02"], "the server crashed and starts again; try again"),
    (.connectionLost, ["57P05"], "the server ended a connection that was idle; try again"),
    (
      .refusedByTrigger, ["P0001"],
      "a trigger in the database, which isn't this library's, refused the change; do what it asks"
        + " for, or remove it"
    ),
    (
      .unsupportedValue, ["54000"],
      "PostgreSQL can't hold a value, such as one of more than 2,704 bytes in an index: shorten it,"
        + " or leave its property out of #Index"
    ),
    (.damaged, ["XX001"], "the server's files are damaged; restore them from a copy"),
    (.damaged, ["XX002"], "an index of the server is damaged; repair it with REINDEX"),
  ]

  /// The same for the first two characters, the class.
  private static let classes: [String: (Code, String)] = [
    "08": (.connectionLost, "the connection to the server was lost; try again"),
    "22": (.unsupportedValue, "PostgreSQL can't hold or compute a value"),
    "53": (.other, "the server has too few resources; try again"),
    "58": (.inputOutput, "the server couldn't use its files"),
  ]

  /// Whether the same transaction may succeed when it is run again
  /// (https://www.postgresql.org/docs/15/mvcc-serialization-failure-handling.html).
  package var isRepeatable: Bool {
    guard let sqlState else { return code == .connectionLost }
    return ["40001", "40P01", "55P03", "57P01", "57P02"].contains(sqlState)
      || sqlState.hasPrefix("08") && code == .connectionLost
  }
}
