import Foundation
import PostgresTesting
import SwiftData
import SwiftDataExtras
import Testing

@Suite("Aggregates, SQL and explanations on a server", .server)
struct PostgresAggregateTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let memory: ModelContext

  init() throws {
    container = try Railway.container()
    let memory = try Railway.memory()
    for container in [container, memory] {
      let filling = ModelContext(container)
      let lines = [Line("one"), Line("two")]
      for line in lines { filling.insert(line) }
      for number in 0..<40 {
        // The same name in two forms.
        let name = ["caf\u{E9}", "cafe\u{301}", "bar", "Bar"][number % 4]
        let station = Station("s\(number)", number, name: name)
        filling.insert(station)
        station.line = number % 3 == 0 ? nil : lines[number % 3 - 1]
      }
      try filling.save()
    }
    context = ModelContext(container)
    self.memory = ModelContext(memory)
  }

  @Test("are those of a loop over the models")
  func aggregates() throws {
    let some = #Predicate<Station> { $0.isOpen }
    for predicate in [nil, some] {
      #expect(
        try context.sum(of: \Station.rank, where: predicate)
          == memory.sum(of: \Station.rank, where: predicate))
      #expect(
        try context.average(of: \Station.level, where: predicate)
          == memory.average(of: \Station.level, where: predicate))
      #expect(
        try context.sum(of: \Station.price, where: predicate)
          == memory.sum(of: \Station.price, where: predicate))
      #expect(
        try context.maximum(of: \Station.total, where: predicate)
          == memory.maximum(of: \Station.total, where: predicate))
      #expect(
        try context.minimum(of: \Station.name, where: predicate)
          == memory.minimum(of: \Station.name, where: predicate))
      #expect(
        try context.minimum(of: \Station.opened, where: predicate)
          == memory.minimum(of: \Station.opened, where: predicate))
      #expect(
        try context.maximum(of: \Station.rank, where: predicate)
          == memory.maximum(of: \Station.rank, where: predicate))
    }
    #expect(try context.average(of: \Station.rank) == memory.average(of: \Station.rank))
  }

  @Test("come from one statement where SQL expresses them")
  func statements() throws {
    let (values, statements) = try container.recordingStatements {
      try context.aggregate(
        Station.self, .count, .sum(\.rank), .maximum(\.opened), .count(\.rank),
        where: #Predicate { $0.isOpen })
    }
    #expect(statements.count == 1 && statements[0].kind == .read)
    #expect(values.0 == 20 && values.3 == 10)
  }

  @Test("of groups, by texts, numbers and models")
  func groups() throws {
    let (names, statements) = try container.recordingStatements {
      try context.groups(of: Station.self, by: \.name, .count, .sum(\.rank))
    }
    #expect(statements.count == 1)
    let wanted = try memory.groups(of: Station.self, by: \.name, .count, .sum(\.rank))
    #expect(names.map(\.key) == wanted.map(\.key) && names.count == 3)
    #expect(names.map(\.values.0) == wanted.map(\.values.0))
    #expect(names.map(\.values.1) == wanted.map(\.values.1))
    let lines = try context.groups(
      of: Station.self, by: \.line?.name, .count, sortBy: [.descending(.count)])
    #expect(lines.map(\.values) == [14, 13, 13])
    let models = try context.groups(of: Station.self, by: \.line, .maximum(\.rank))
    #expect(Set(models.map { $0.key?.name }) == ["one", "two", nil])
  }

  @Test("SQL reads rows and models")
  func sql() throws {
    let least = 30
    let stations: [Station] = try context.fetch(
      Station.self,
      sql: """
        SELECT _id FROM \(table: Station.self) -- isn't a ? parameter
        WHERE \(column: \Station.rank) >= \(least) ORDER BY \(column: \Station.rank)
        """)
    #expect(stations.first?.code == "s30")
    let rows = try context.rows(
      sql: """
        SELECT count(*), sum(\(column: \Station.rank)), max(\(column: \Station.level)),
          to_timestamp(978307200), DATE '2001-02-03', NULL::text FROM \(table: Station.self)
        """, as: (Int, Int, Double, Date, String, String?).self)
    #expect(rows.count == 1)
    #expect(rows[0].0 == 40 && rows[0].1 == 600 && rows[0].2 == 9.75)
    #expect(rows[0].3 == Date(timeIntervalSinceReferenceDate: 0))
    #expect(rows[0].4 == "2001-02-03" && rows[0].5 == nil)
    let days = try context.rows(
      sql: "SELECT DATE '1600-02-29' + g FROM generate_series(0, 1) AS g", as: String.self)
    #expect(days == ["1600-02-29", "1600-03-01"])
  }

  @Test(
    "SQL that doesn't only read is refused",
    arguments: [
      ("DELETE FROM \"Station\" RETURNING 1", SQLQueryError.Code.writes), ("COMMIT", .denied),
      ("SET search_path = public", .denied), ("SELECT 1; SELECT 2", .severalStatements),
      (" -- nothing\n", .empty), ("SELECT $1::bigint", .parameters),
      ("SELECT 1, 2", .columnCount), ("SELECT 'a'::text", .wrongType),
      ("SELECT '1 day'::interval", .wrongType),
    ])
  func refusals(text: String, code: SQLQueryError.Code) throws {
    do {
      _ = try context.rows(sql: SQLQuery(stringLiteral: text), as: Int.self)
      Issue.record("\(text) was run")
    } catch let error as SQLQueryError {
      #expect(error.code == code)
    }
    #expect(try context.fetchCount(FetchDescriptor<Station>()) == 40)
  }

  @Test("explanations have the server's plan")
  func explanations() throws {
    let code = "s1"
    let single = try context.explain(
      FetchDescriptor<Station>(predicate: #Predicate { $0.code == code }))
    #expect(single.sql?.contains("$1") == true && single.inMemory.isEmpty)
    #expect(!single.indices.isEmpty || single.scannedTables == ["Station"])
    let all = try context.explain(FetchDescriptor<Station>())
    #expect(all.scannedTables == ["Station"])
    #expect(all.description.contains("PostgreSQL's plan"))
  }

  @Test("the log has statements with their values")
  func log() throws {
    let before = container.executedStatementCount
    let code = "it's"
    let (_, events) = try container.recordingStatements(includingValues: true) {
      _ = try context.fetch(FetchDescriptor<Station>(predicate: #Predicate { $0.code == code }))
      context.insert(Owner("new"))
      try context.save()
    }
    #expect(container.executedStatementCount == before + events.count)
    #expect(events.map(\.kind) == [.read, .write])
    #expect(events[0].expandedSQL?.contains("'it''s'") == true)
    #expect(events[1].sql.hasPrefix("INSERT INTO \"Owner\""))
  }
}
