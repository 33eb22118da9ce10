import PostgresTesting
import Foundation
import SwiftDataCore
import Testing

@testable import SwiftDataPostgres

@Suite("Connections to a server", .server)
struct PostgresConnectionTests {
  private let connection: PostgresConnection

  init() throws { connection = try PostgresServer.shared.connect() }

  @Test("values come back as they were sent, by the types that the server infers")
  func values() throws {
    let cases: [(type: String, kind: ColumnKind?, values: [ColumnValue])] = [
      ("boolean", nil, [.integer(0), .integer(1), .null]),
      ("bigint", nil, [.integer(.min), .integer(-1), .integer(.max)]),
      ("integer", nil, [.integer(-7)]), ("smallint", nil, [.integer(-7)]),
      (
        "double precision", nil,
        [.real(0.1), .real(-0.0), .real(.infinity), .real(.leastNonzeroMagnitude), .text("NaN")]
      ),
      ("text", nil, [.text(""), .text("é\u{301} 👩‍👩‍👧"), .text("a'b\"c\\d"), .null]),
      ("bytea", nil, [.blob([]), .blob([0, 255, 39])]),
      ("uuid", nil, [.blob(Array(0..<16))]),
      (
        "numeric", .decimal,
        ["0", "1", "-1", "0.1", "-0.05", "10000", "12345678.9012345678", "1.50", "NaN", "0.00001"]
          .map { .text($0) }
      ),
      (
        "numeric", .unsigned,
        [.integer(0), .integer(10_000), .integer(.max), .blob(Array(repeating: 255, count: 8))]
      ),
    ]
    for (type, kind, values) in cases {
      for value in values {
        let result = try connection.run("SELECT $1::\(type)", [value])
        #expect(result.values(0, [kind]) == [value], "\(type)")
      }
    }
  }

  @Test("decimal numbers have the digits that the server writes")
  func decimals() throws {
    for text in ["1e20", "1E-20", "-123.4500", "99999999999999999999999999999999999999", "+7"] {
      let result = try connection.run("SELECT $1::numeric, ($1::numeric)::text", [.text(text)])
      #expect(result.values(0)[0] == result.values(0)[1], "\(text)")
    }
  }

  @Test("a text with U+0000 and an integer that is too large are refused before they are sent")
  func unsupported() throws {
    for (sql, value) in [
      ("SELECT $1::text", ColumnValue.text("a\0b")),
      ("SELECT $1::smallint", .integer(40_000)),
      ("SELECT $1::uuid", .blob([1])),
    ] {
      do {
        try connection.run(sql, [value])
        Issue.record("\(sql) was accepted")
      } catch let error as StoreError { #expect(error.code == .unsupportedValue) }
    }
    #expect(try connection.run("SELECT $1::bigint", [.integer(5)]).integer(0, 0) == 5)
  }

  @Test("the only value of a list can be a value, and is logged as one")
  func valueOfList() throws {
    let cases: [(type: PostgresType, value: ColumnValue, logged: String)] = [
      (.integer, .integer(-5), "-5"), (.integer16, .integer(7), "7"), (.real, .real(0.5), "0.5"),
      (.boolean, .integer(1), "TRUE"), (.text, .text("it's"), "'it''s'"), (.text, .text(""), "''"),
      (.data, .blob([1, 2, 3]), "(3 bytes)"), (.data, .blob([]), "(0 bytes)"),
      (.integer, .null, "NULL"), (.text, .null, "NULL"),
    ]
    for (type, value, logged) in cases {
      let command = PostgresCommand("SELECT $1::\(type.name)", [.single(try list(type, value))])
      #expect(try connection.run(command).values(0) == [value], "\(type.name)")
      #expect(command.expanded == "SELECT \(logged)::\(type.name)")
    }
  }

  private func list(_ type: PostgresType, _ value: ColumnValue) throws -> PostgresList {
    let (cell, bytes): (_Cell, [UInt8]) =
      switch value {
      case .null: (_Cell(kind: .null), [])
      case .integer(let integer): (_Cell(kind: .integer, bits: integer), [])
      case .real(let real): (_Cell(kind: .real, bits: Int64(bitPattern: real.bitPattern)), [])
      case .text(let text): (_Cell(kind: .text, count: text.utf8.count), Array(text.utf8))
      case .blob(let data): (_Cell(kind: .blob, count: data.count), data)
      }
    var list = PostgresList(of: type)
    try bytes.withUnsafeBytes { try list.append(cell, $0) }
    return list
  }

  @Test("statements sent together are all known, also when new ones take the places of old ones")
  func statementsTogether() throws {
    func command(_ number: Int) -> PostgresCommand {
      PostgresCommand("SELECT $1::bigint + \(number)", [.value(.integer(1))])
    }
    for number in 0..<512 { try connection.run(command(number)) }
    let numbers = Array(0..<8) + Array(1_000..<1_008) + Array(0..<8)
    let results = try connection.run(numbers.map(command))
    #expect(results.map { $0.integer(0, 0) } == numbers.map { Int64($0 + 1) })
    // The oldest last, so that each one that is found takes the place of the next.
    for number in 2_000..<2_512 { try connection.run(command(number)) }
    let others = Array((2_000..<2_060).reversed()) + [3_000]
    let found = try connection.run(others.map(command))
    #expect(found.map { $0.integer(0, 0) } == others.map { Int64($0 + 1) })
  }

  @Test("lists are one parameter")
  func lists() throws {
    let numbers = Array(Int64(1)...10_000)
    let sum = try connection.run(
      PostgresCommand(
        "SELECT sum(n)::bigint FROM unnest($1::bigint[]) AS l(n)", [.integers(numbers)]))
    #expect(sum.integer(0, 0) == 50_005_000)
    let none = try connection.run(
      PostgresCommand("SELECT count(*) FROM unnest($1::bigint[])", [.integers([])]))
    #expect(none.integer(0, 0) == 0)
    let text = try connection.run(
      "SELECT count(*) FROM unnest($1::text[]) AS l(t) WHERE t = $2",
      [.text(#"{"a\"b","","c,d"}"#), .text("a\"b")])
    #expect(text.integer(0, 0) == 1)
  }

  @Test("statements of a pipeline are all or nothing, and the connection stays usable")
  func pipelines() throws {
    try connection.execute("CREATE TEMPORARY TABLE p (n bigint PRIMARY KEY)")
    let insert = "INSERT INTO p VALUES ($1)"
    let results = try connection.run(
      [
        PostgresCommand(insert, [.value(.integer(1))]),
        PostgresCommand("SELECT n FROM p"), PostgresCommand(insert, [.value(.integer(2))]),
      ])
    #expect(results[1].integer(0, 0) == 1 && results[2].changedCount == 1)
    do {
      try connection.run(
        [
          PostgresCommand(insert, [.value(.integer(3))]),
          PostgresCommand(insert, [.value(.integer(1))]), PostgresCommand("SELECT 1"),
        ])
      Issue.record("a double key was accepted")
    } catch let error as StoreError {
      #expect(error.code == .notUnique && error.sqlState == "23505")
    }
    #expect(try connection.run("SELECT count(*) FROM p").integer(0, 0) == 2)
  }

  @Test("a pipeline behind rows that came one by one gives whole results")
  func pipelineBehindRows() throws {
    for _ in 0..<2 {
      var count = 0
      try connection.forEachRow(of: PostgresCommand("SELECT generate_series(1, 3)")) { _ in
        count += 1
      }
      #expect(count == 3)
      let results = try connection.run([
        PostgresCommand("SELECT generate_series(1, 5)"), PostgresCommand("SELECT 7"),
      ])
      #expect(results.map(\.rowCount) == [5, 1])
      #expect(results[0].integer(4, 0) == 5)
    }
  }

  @Test("a value without a form sends nothing of its pipeline")
  func pipelineWithUnsupportedValue() throws {
    do {
      try connection.run(
        [
          PostgresCommand("SELECT 1"),
          PostgresCommand("SELECT $1::text", [.value(.text("\0"))]),
        ])
      Issue.record("U+0000 was accepted")
    } catch let error as StoreError { #expect(error.code == .unsupportedValue) }
    #expect(try connection.run("SELECT 1").rowCount == 1)
  }

  @Test("rows arrive one by one, and stop when the reader does")
  func streaming() throws {
    var sum: Int64 = 0
    let numbers = PostgresCommand(
      "SELECT n, n::text FROM generate_series(1, $1::bigint) AS s(n)", [.value(.integer(1000))])
    try connection.forEachRow(of: numbers) { cells in
      sum += cells[0].bits
      #expect(ColumnValue(cells[1]) == .text("\(cells[0].bits)"))
    }
    #expect(sum == 500_500)
    struct Enough: Error {}
    let many = PostgresCommand("SELECT generate_series(1, 1000000000)")
    do {
      try connection.forEachRow(of: many) { _ in throw Enough() }
      Issue.record("no row came")
    } catch is Enough {}
    #expect(try connection.run("SELECT 1").rowCount == 1)
  }

  @Test("a failing row ends the rows with its error")
  func streamedFailure() throws {
    let command = PostgresCommand("SELECT 1 / (3 - n) FROM generate_series(1, 5) AS s(n)")
    var count = 0
    do {
      try connection.forEachRow(of: command) { _ in count += 1 }
      Issue.record("there was no error")
    } catch let error as StoreError { #expect(error.sqlState == "22012") }
    #expect(count < 5)
    #expect(try connection.run("SELECT 1").rowCount == 1)
  }

  @Test("a connection that gives rows takes no other statement")
  func reentrance() throws {
    do {
      try connection.forEachRow(of: PostgresCommand("SELECT 1")) { _ in
        try connection.run("SELECT 2")
      }
      Issue.record("the statement was run")
    } catch let error as SwiftDataError { #expect(error == .reentrantOperation) }
    #expect(try connection.run("SELECT 1").rowCount == 1)
  }

  @Test("COPY inserts rows with all kinds of values")
  func copying() throws {
    try connection.execute(
      """
      CREATE TEMPORARY TABLE c (id bigint, b boolean, r double precision, t text, d bytea,
        n numeric)
      """)
    let types: [PostgresType] = [.integer, .boolean, .real, .text, .data, .numeric]
    let names = ["id", "b", "r", "t", "d", "n"]
    let count = try connection.copy(into: "c", columns: names, types: types) { writer in
      for number in 0..<5_000 {
        let arena = Array("text \(number)12.5".utf8)
        let split = arena.count - 4
        let cells = [
          _Cell(kind: .integer, bits: Int64(number % 2)),
          _Cell(kind: .real, bits: Int64(bitPattern: (Double(number) / 2).bitPattern)),
          _Cell(kind: .text, bits: 0, count: split),
          number % 3 == 0 ? _Cell(kind: .null) : _Cell(kind: .blob, bits: 0, count: 2),
          _Cell(kind: .text, bits: Int64(split), count: 4),
        ]
        try arena.withUnsafeBytes { try writer.append(rowID: Int64(number), cells, arena: $0) }
      }
    }
    #expect(count == 5_000)
    let row = try connection.run("SELECT b, r, t, d, n FROM c WHERE id = 4321").values(0)
    #expect(row[..<3] == [.integer(1), .real(2160.5), .text("text 4321")])
    #expect(row[3...] == [.blob([0x74, 0x65]), .text("12.5")])
    #expect(try connection.run("SELECT count(*) FROM c WHERE d IS NULL").integer(0, 0) == 1_667)
  }

  @Test("COPY that is given up or refused inserts nothing")
  func failedCopying() throws {
    try connection.execute("CREATE TEMPORARY TABLE f (id bigint PRIMARY KEY, t text)")
    func copy(_ body: (inout PostgresCopyWriter) throws -> Void) throws {
      try connection.copy(into: "f", columns: ["id", "t"], types: [.integer, .text], body)
    }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    do {
      try copy { writer in
        for _ in 0..<2 { try writer.append(rowID: 1, [_Cell(kind: .null)], arena: nothing) }
      }
      Issue.record("a double key was accepted")
    } catch let error as StoreError { #expect(error.code == .notUnique) }
    do {
      try copy { writer in
        try writer.append(rowID: 2, [_Cell(kind: .null)], arena: nothing)
        try [UInt8(0)].withUnsafeBytes {
          try writer.append(rowID: 3, [_Cell(kind: .text, count: 1)], arena: $0)
        }
      }
      Issue.record("U+0000 was accepted")
    } catch let error as StoreError { #expect(error.code == .unsupportedValue) }
    #expect(try connection.run("SELECT count(*) FROM f").integer(0, 0) == 0)
  }

  @Test("transactions end whole or not at all")
  func transactions() throws {
    try connection.execute("CREATE TEMPORARY TABLE t (n bigint)")
    struct Stop: Error {}
    do {
      try connection.transaction {
        try connection.run("INSERT INTO t VALUES (1)")
        throw Stop()
      }
    } catch is Stop {}
    try connection.transaction { try connection.run("INSERT INTO t VALUES (2)") }
    #expect(!connection.isInTransaction)
    #expect(try connection.run("SELECT n FROM t").values(0) == [.integer(2)])
    do {
      try connection.transaction {
        do { try connection.run("SELECT 1 / 0") } catch is StoreError {}
      }
      Issue.record("the failed transaction was committed")
    } catch let error as StoreError { #expect(error.code == .other) }
  }

  @Test("a schema is chosen for statements without one")
  func schemas() throws {
    let name = uniqueName("schema")
    try connection.execute("CREATE SCHEMA \(name); CREATE TABLE \(name).t (n bigint)")
    try connection.use(schema: name)
    #expect(try connection.run("SELECT count(*) FROM t").integer(0, 0) == 0)
  }

  @Test("more statements than a connection keeps are prepared again")
  func manyStatements() throws {
    for number in 0..<600 {
      let result = try connection.run("SELECT $1::bigint + \(number)", [.integer(1)])
      #expect(result.integer(0, 0) == Int64(number + 1))
    }
    let prepared = try connection.run("SELECT count(*) FROM pg_prepared_statements")
    #expect(prepared.integer(0, 0) == 512)
  }

  @Test("without names, statements leave nothing on the server")
  func unnamed() throws {
    var options = try PostgresServer.shared.options()
    options.preparation = .never
    let connection = try PostgresConnection(options)
    #expect(!connection.isPooled)
    for _ in 0..<2 {
      #expect(try connection.run("SELECT $1::text", [.text("a")]).text(0, 0) == "a")
    }
    let prepared = try connection.run(
      "SELECT count(*) FROM pg_prepared_statements WHERE name <> ''")
    #expect(prepared.integer(0, 0) == 0)
  }
}
