import CPostgres
import Foundation
import SwiftDataCore

extension PostgresConnection {
  /// Connects, and waits for each host no longer than the options permit. libpq's own time-out is for its blocking call
  /// only, and so is the way to the next host after it: here, a host that doesn't answer in time is left out, and libpq
  /// chooses among the others again.
  static func connect(_ options: PostgresConnectionOptions) throws -> OpaquePointer {
    var parameters = try options.parameters()
    while true {
      guard let handle = start(parameters) else {
        throw StoreError(
          .other, path: options.url.description,
          explanation: "there is no memory for a connection")
      }
      var isMade = false
      defer { if !isMade { PQfinish(handle) } }
      guard PQstatus(handle) != CONNECTION_BAD else { throw failure(handle, options) }
      PQsetNoticeReceiver(handle, { _, _ in }, nil)
      // Messages then have the SQLSTATE, which a failed connection has no other place for.
      PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
      if let others = try finish(handle, options) {
        parameters.merge(others.parameters) { $1 }
        continue
      }
      PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
      isMade = true
      return handle
    }
  }

  /// Calls libpq with keywords and values as C strings.
  private static func start(_ parameters: [String: String]) -> OpaquePointer? {
    var strings: [UnsafeMutablePointer<CChar>?] = []
    defer { for string in strings { free(string) } }
    var keywords: [UnsafePointer<CChar>?] = []
    var values: [UnsafePointer<CChar>?] = []
    for (keyword, value) in parameters {
      let pair = (strdup(keyword), strdup(value))
      strings += [pair.0, pair.1]
      keywords.append(UnsafePointer(pair.0))
      values.append(UnsafePointer(pair.1))
    }
    keywords.append(nil)
    values.append(nil)
    return PQconnectStartParams(keywords, values, 0)
  }

  /// Waits for the connection.
  ///
  /// - Returns: nil when it is made; the other hosts when one hasn't answered in time.
  /// - Throws: libpq's failure, or ``StoreError/Code/noServer`` when there are no other hosts.
  private static func finish(
    _ handle: OpaquePointer, _ options: PostgresConnectionOptions
  ) throws -> PostgresHosts? {
    let limit = Duration.milliseconds(
      PostgresConnectionOptions.milliseconds(options.connectTimeout))
    var hosts = PostgresHosts(of: handle)
    var host = hosts.position(of: handle)
    var end = ContinuousClock.now + limit
    var state = PGRES_POLLING_WRITING
    while state != PGRES_POLLING_OK {
      if state == PGRES_POLLING_FAILED { throw failure(handle, options) }
      let rest = ContinuousClock.now.duration(to: end) / .milliseconds(1)
      let events = Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
      var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
      // An answer that is there counts, however late this thread comes to read it.
      let ready = poll(&descriptor, 1, Int32(max(0, min(rest.rounded(.up), 1e9))))
      guard ready != 0 else {
        guard ContinuousClock.now >= end else { continue }
        guard let host, hosts.count > 1 else { throw silence(options) }
        hosts.remove(at: host)
        return hosts
      }
      if ready < 0, errno == EINTR { continue }
      state = PQconnectPoll(handle)
      let next = hosts.position(of: handle)
      if next != host {
        host = next
        end = ContinuousClock.now + limit
      }
    }
    return nil
  }

  /// The error of a server that doesn't answer in time.
  private static func silence(_ options: PostgresConnectionOptions) -> StoreError {
    StoreError(
      .noServer, path: options.url.description,
      explanation: "the server didn't answer within \(options.connectTimeout) seconds; check that"
        + " it runs, and the URL")
  }

  /// The error of a connection that couldn't be made.
  private static func failure(
    _ handle: OpaquePointer, _ options: PostgresConnectionOptions
  ) -> StoreError {
    let address = options.url.description
    let message = options.url.withoutSecrets(message(of: handle))
    if let sqlState = sqlState(in: message) {
      return .postgres(PostgresFailure(sqlState: sqlState, message: ""), address: address)
    }
    if message.contains("session is read-only") || message.contains("hot standby") {
      return StoreError(
        .readOnly, path: address,
        explanation: "the server may only be read; use the URL of the primary server")
    }
    if message.contains("no password supplied") {
      return StoreError(
        .accessDenied, path: address,
        explanation: "the server asks for a password; put it into the password file (\(message))")
    }
    if message.hasPrefix("invalid ") {
      return StoreError(
        .cannotOpen, path: address,
        explanation: "a parameter of its URL has an unknown value; correct it (\(message))")
    }
    if let remedy = TLSFailure.remedy(for: message) {
      return StoreError(
        .insecureConnection, path: address, explanation: "\(remedy) (\(message))")
    }
    return StoreError(
      .noServer, path: address,
      explanation: "the server can't be reached; check that it runs, and the URL (\(message))")
  }

  /// The SQLSTATE at the end of a message such as `FATAL:  28P01`.
  static func sqlState(in message: String) -> String? {
    let words = message.split(separator: " ")
    guard words.count > 1, let last = words.last, words[words.count - 2].hasSuffix(":"),
      last.utf8.count == 5
    else { return nil }
    let isState = last.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    return isState ? String(last) : nil
  }

  /// Makes the settings of the session, with one wait.
  ///
  /// - Returns: Whether a pooler lies between this process and the server, which has a process number of its own. Then
  ///   nothing is set, because the pooler gives the session to others.
  static func beginSession(
    _ handle: OpaquePointer, _ options: PostgresConnectionOptions
  ) throws -> Bool {
    let sql =
      "SELECT \(options.sessionSettings) WHERE pg_backend_pid() = \(PQbackendPID(handle))"
    let result = PQexec(handle, sql)
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_TUPLES_OK else {
      // A connection that ends meanwhile has a result without a SQLSTATE.
      let failure = result.map { PostgresFailure($0) }
      throw StoreError.postgres(
        failure.flatMap { $0.sqlState.isEmpty ? nil : $0 }
          ?? PostgresFailure(sqlState: "08006", message: ""),
        address: options.url.description, sql: sql)
    }
    return PQntuples(result) == 0
  }
}

/// Asks the server to end what a connection is doing. It can be used by any thread, also when the connection has ended.
package final class PostgresCancellation: @unchecked Sendable {
  // Unchecked: the request's data doesn't change, and libpq says that PQcancel may be called by any thread.
  private let request: OpaquePointer?
  private let lock = NSLock()
  private var isRequested = false

  init(_ connection: OpaquePointer) { request = PQgetCancel(connection) }

  deinit { PQfreeCancel(request) }

  /// Whether the present call was asked to end.
  var wasRequested: Bool { lock.withLock { isRequested } }

  func begin() { lock.withLock { isRequested = false } }

  /// Asks the server to end the present statement, if there is one.
  package func cancel() {
    lock.withLock { isRequested = true }
    send()
  }

  /// Asks without a mark, for rows that nobody reads.
  func send() {
    // libpq's description of a failure: the statement then runs to its end.
    var message = [CChar](repeating: 0, count: 256)
    guard PQcancel(request, &message, 256) == 0 else { return }
    SwiftDataLog.report(.notice, "Postgres", "a statement couldn't be interrupted")
  }
}
