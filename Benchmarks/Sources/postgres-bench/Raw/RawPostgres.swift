import BenchmarkSupport
import CPostgresDirect
import Foundation

/// A thin wrapper of libpq: binary parameters and results, statements prepared once, pipelines and COPY.
final class RawPostgres: @unchecked Sendable {
  let handle: OpaquePointer

  /// The address of the server's database.
  static var url: String {
    get throws {
      guard let url = ProcessInfo.processInfo.environment["OPENSWIFTDATA_BENCH_POSTGRES"] else {
        throw BenchmarkFailure("OPENSWIFTDATA_BENCH_POSTGRES has no address of a database")
      }
      return url
    }
  }

  /// - Parameter schema: The schema in which tables are found.
  init(schema: String) throws {
    guard let handle = PQconnectdb(try Self.url) else { throw BenchmarkFailure("no memory") }
    self.handle = handle
    guard PQstatus(handle) == CONNECTION_OK else { throw failure }
    try execute("SET client_min_messages = warning")
    try execute("SET search_path = \"\(schema)\"")
  }

  deinit { PQfinish(handle) }

  private var failure: BenchmarkFailure {
    BenchmarkFailure(String(cString: PQerrorMessage(handle)))
  }

  func execute(_ sql: String) throws {
    let result = PQexec(handle, sql)
    defer { PQclear(result) }
    try check(result)
  }

  /// Returns the first column of the first row, a bigint.
  func integer(_ sql: String) throws -> Int64 {
    let result = RawResult(
      PQexecParams(handle, sql, 0, nil, nil, nil, nil, 1))
    try check(result.handle)
    return result.integer(0, 0)
  }

  private func check(_ result: OpaquePointer?) throws {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_PIPELINE_SYNC: return
    default: throw failure
    }
  }

  // MARK: - Statements

  func prepare(_ name: String, _ sql: String) throws {
    let result = PQprepare(handle, name, sql, 0, nil)
    defer { PQclear(result) }
    try check(result)
  }

  func run(_ name: String, _ parameters: RawParameters = RawParameters()) throws -> RawResult {
    let result = RawResult(
      parameters.withPointers { values, lengths, formats in
        PQexecPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1)
      })
    try check(result.handle)
    return result
  }

  // MARK: - Pipelines

  func begin() { PQenterPipelineMode(handle) }

  func send(_ name: String, _ parameters: RawParameters = RawParameters()) throws {
    let isSent = parameters.withPointers { values, lengths, formats in
      PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw failure }
  }

  func sync() throws { guard PQpipelineSync(handle) == 1 else { throw failure } }

  /// The result of the next statement.
  func next() throws -> RawResult {
    let result = RawResult(PQgetResult(handle))
    try check(result.handle)
    if PQresultStatus(result.handle) != PGRES_PIPELINE_SYNC { PQclear(PQgetResult(handle)) }
    return result
  }

  func end() { PQexitPipelineMode(handle) }

  // MARK: - COPY

  /// Sends rows in COPY's binary format (https://www.postgresql.org/docs/15/sql-copy.html).
  func copy(into table: String, _ body: (inout RawParameters) throws -> Void) throws {
    let result = PQexec(handle, "COPY \(table) FROM STDIN (FORMAT binary)")
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COPY_IN else { throw failure }
    var rows = RawParameters()
    rows.bytes += Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + Array(repeating: 0, count: 8)
    rows.onFull = { [handle] bytes in
      bytes.withUnsafeBytes {
        PQputCopyData(handle, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count)) == 1
      }
    }
    try body(&rows)
    rows.append(int16: -1)
    guard rows.flush(), PQputCopyEnd(handle, nil) == 1 else { throw failure }
    let end = PQgetResult(handle)
    defer { PQclear(end) }
    try check(end)
    PQclear(PQgetResult(handle))
  }
}

/// A result whose fields are binary.
struct RawResult: ~Copyable {
  let handle: OpaquePointer?
  let count: Int32

  init(_ handle: OpaquePointer?) {
    self.handle = handle
    count = PQntuples(handle)
  }

  deinit { PQclear(handle) }

  @inline(__always)
  func isNull(_ row: Int32, _ column: Int32) -> Bool { PQgetisnull(handle, row, column) == 1 }

  @inline(__always)
  func integer(_ row: Int32, _ column: Int32) -> Int64 {
    let start = UnsafeRawPointer(PQgetvalue(handle, row, column))
    return start.map { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) } ?? 0
  }

  @inline(__always)
  func real(_ row: Int32, _ column: Int32) -> Double {
    Double(bitPattern: UInt64(bitPattern: integer(row, column)))
  }

  @inline(__always)
  func isTrue(_ row: Int32, _ column: Int32) -> Bool {
    PQgetvalue(handle, row, column)?.pointee == 1
  }

  @inline(__always)
  func text(_ row: Int32, _ column: Int32) -> String {
    let count = Int(PQgetlength(handle, row, column))
    return PQgetvalue(handle, row, column).map { start in
      String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    } ?? ""
  }

  @inline(__always)
  func textIfAny(_ row: Int32, _ column: Int32) -> String? {
    isNull(row, column) ? nil : text(row, column)
  }
}

/// Values in the binary formats of PostgreSQL: the parameters of a statement, or the rows of a COPY with lengths before
/// the values.
struct RawParameters {
  var bytes: [UInt8] = []
  /// Takes the bytes when there are many; for COPY.
  var onFull: (([UInt8]) -> Bool)?
  private var ends: [(start: Int, count: Int32)] = []
  private static let limit = 1 << 16

  var count: Int { ends.count }

  init() {}

  init(_ text: String) { append(text) }

  mutating func append(int16 value: Int16) {
    withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
  }

  @inline(__always)
  private mutating func append(bytes value: UnsafeRawBufferPointer?) {
    let length = value.map { Int32($0.count) } ?? -1
    if onFull == nil {
      ends.append((bytes.count, length))
    } else {
      withUnsafeBytes(of: length.bigEndian) { bytes += $0 }
    }
    if let value { bytes.append(contentsOf: value) }
  }

  @inline(__always)
  mutating func append(_ value: Int64?) {
    guard let value else { return append(bytes: nil) }
    withUnsafeBytes(of: value.bigEndian) { append(bytes: $0) }
  }

  @inline(__always)
  mutating func append(_ value: Double?) { append(value.map { Int64(bitPattern: $0.bitPattern) }) }

  @inline(__always)
  mutating func append(_ value: Bool) {
    withUnsafeBytes(of: UInt8(value ? 1 : 0)) { append(bytes: $0) }
  }

  @inline(__always)
  mutating func append(_ value: String?) {
    guard var value else { return append(bytes: nil) }
    value.withUTF8 { append(bytes: UnsafeRawBufferPointer($0)) }
  }

  mutating func append(data value: [UInt8]) { value.withUnsafeBytes { append(bytes: $0) } }

  /// Begins a row of a COPY.
  @inline(__always)
  mutating func beginRow(_ columns: Int16) throws {
    if bytes.count >= Self.limit, !flush() { throw BenchmarkFailure("the server takes no data") }
    append(int16: columns)
  }

  mutating func flush() -> Bool {
    defer { bytes.removeAll(keepingCapacity: true) }
    return onFull?(bytes) ?? true
  }

  func withPointers<Result>(
    _ body: (
      UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      // An empty text needs an address, too.
      let values = ends.map { end -> UnsafePointer<CChar>? in
        end.count < 0 ? nil : start.map { $0 + end.start } ?? UnsafePointer(bitPattern: 1)
      }
      return body(values, ends.map(\.count), ends.map { _ in 1 })
    }
  }
}
