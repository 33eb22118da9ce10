import CPostgres
import SwiftDataCore
import SwiftDataSQL

/// Writes rows in the binary format of COPY
/// (https://www.postgresql.org/docs/15/sql-copy.html#id-1.9.3.55.9.4).
package struct PostgresCopyWriter {
  /// The sizes at which bytes are sent first, so that the server begins soon, and later; it doubles in between. 128 KiB
  /// took a bulk insert 1.29 times as long as handwritten libpq; 4 to 16 KiB took 1.12 times as long, 32 KiB 1.16.
  private static let firstSize = 1 << 13
  private static let bufferSize = 1 << 14

  private let connection: PostgresConnection
  private let types: [PostgresType]
  private let sql: String
  private var buffer: [UInt8] = []
  private var size = firstSize
  package private(set) var rowCount = 0

  fileprivate init(_ connection: PostgresConnection, _ types: [PostgresType], sql: String) {
    self.connection = connection
    self.types = types
    self.sql = sql
    buffer.reserveCapacity(Self.bufferSize + 4096)
    buffer += "PGCOPY\n".utf8
    buffer += [0xFF, 0x0D, 0x0A, 0]
    // Neither flags nor an extension of the header.
    buffer += [0, 0, 0, 0, 0, 0, 0, 0]
  }

  /// Appends a row, whose first column is its ID.
  ///
  /// - Parameters:
  ///   - arena: The bytes to which the positions of texts and data lead.
  package mutating func append(
    rowID: Int64, _ cells: some Collection<_Cell>, arena: UnsafeRawBufferPointer
  ) throws {
    let start = buffer.count
    PostgresEncoding.append(Int16(truncatingIfNeeded: types.count), to: &buffer)
    PostgresEncoding.appendSized(UInt64(bitPattern: rowID), to: &buffer)
    var column = 1
    for cell in cells {
      let hasBytes = cell.kind == .text || cell.kind == .blob
      let bytes =
        hasBytes
        ? UnsafeRawBufferPointer(rebasing: arena[Int(cell.bits)..<Int(cell.bits) + cell.count])
        : UnsafeRawBufferPointer(start: nil, count: 0)
      do { try PostgresEncoding.append(cell, bytes, as: types[column], to: &buffer) } catch {
        // The rows before it can be sent.
        buffer.removeLast(buffer.count - start)
        throw connection.error(error, sql: sql)
      }
      column += 1
    }
    guard buffer.count <= PostgresParameters.maximumLength else {
      buffer.removeLast(buffer.count - start)
      throw connection.error(.tooLong, sql: sql)
    }
    rowCount += 1
    if buffer.count >= size { try flush() }
  }

  fileprivate mutating func finish() throws {
    PostgresEncoding.append(Int16(-1), to: &buffer)
    try flush()
  }

  private mutating func flush() throws {
    let isSent = buffer.withUnsafeBytes { bytes in
      PQputCopyData(
        connection.handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(truncatingIfNeeded: bytes.count))
    }
    guard isSent == 1 else { throw connection.error(nil, sql: sql) }
    buffer.removeAll(keepingCapacity: true)
    size = min(2 * size, Self.bufferSize)
  }
}

extension PostgresConnection {
  /// Inserts the rows that `body` writes, the fastest way to insert many.
  ///
  /// - Parameters:
  ///   - table: The quoted name of the table.
  ///   - columns: The quoted names of the columns, the one with the row ID first.
  ///   - types: The types of the columns, which COPY doesn't convert.
  /// - Returns: The number of rows.
  @discardableResult
  package func copy(
    into table: String, columns: [String], types: [PostgresType],
    _ body: (inout PostgresCopyWriter) throws -> Void
  ) throws -> Int {
    var writer = try beginCopy(into: table, columns: columns, types: types)
    do { try body(&writer) } catch {
      throw cancelCopy(after: error)
    }
    return try endCopy(&writer)
  }

  /// Begins to insert rows. Nothing else can be done with the connection until ``endCopy(_:)`` or
  /// ``cancelCopy(after:)``.
  func beginCopy(
    into table: String, columns: [String], types: [PostgresType]
  ) throws -> PostgresCopyWriter {
    try sendDeferred()
    let sql = "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    let command = PostgresCommand(sql)
    try occupy()
    let run = beginCounting(command, .unprepared(sql))
    let start = PQexec(handle, sql)
    defer { PQclear(start) }
    guard PQresultStatus(start) == PGRES_COPY_IN else {
      vacate()
      throw error(start, sql: sql)
    }
    copying = Copying(command: command, run: run)
    return PostgresCopyWriter(self, types, sql: sql)
  }

  /// Ends the insertion of rows.
  ///
  /// - Returns: The number of rows.
  /// - Throws: The server's error of any row.
  func endCopy(_ writer: inout PostgresCopyWriter) throws -> Int {
    guard let copying else { return 0 }
    do {
      try writer.finish()
      guard PQputCopyEnd(handle, nil) == 1 else {
        throw error(nil, sql: copying.command.sql)
      }
    } catch {
      throw cancelCopy(after: error)
    }
    self.copying = nil
    defer {
      endCounting(copying.run, copying.command, writer.rowCount)
      vacate()
    }
    return try finish(copying.command).changedCount
  }

  /// Ends the insertion of rows without effect.
  ///
  /// - Returns: The reason: the server's, when that is why no more could be sent.
  @discardableResult
  func cancelCopy(after error: any Error) -> any Error {
    guard let copying else { return error }
    self.copying = nil
    defer {
      endCounting(copying.run, copying.command, 0)
      vacate()
    }
    PQputCopyEnd(handle, "the client has stopped")
    let failure = PQgetResult(handle)
    defer { PQclear(failure) }
    discardResults()
    guard (error as? StoreError)?.code == .connectionLost, let failure else { return error }
    return self.error(failure, sql: copying.command.sql)
  }

  /// An insertion of rows in progress.
  struct Copying {
    let command: PostgresCommand
    let run: StatementRun?
  }
}
