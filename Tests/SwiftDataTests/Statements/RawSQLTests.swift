import SwiftData
import SwiftDataExtras
import Testing

extension Alarm: SQLConvertible {}

@Suite("Raw SQL")
struct RawSQLTests {
  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(Gauge.self, Basin.self)
    context = ModelContext(container)
    for index in 0..<3 {
      let gauge = Gauge("g\(index)", count: index, level: Double(index) / 2, alarm: .amber)
      gauge.depth = index == 1 ? nil : 1.5
      gauge.time = Date(timeIntervalSinceReferenceDate: Double(index))
      context.insert(gauge)
    }
    try context.save()
  }

  @Test("gives the context's own models in the order of the rows")
  func models() throws {
    let known = try context.fetch(FetchDescriptor<Gauge>(sortBy: [SortDescriptor(\.name)]))
    known[2].note = "unsaved"
    let least = 1
    let gauges = try context.fetch(
      Gauge.self,
      sql: """
        SELECT _id FROM \(table: Gauge.self) WHERE \(column: \Gauge.count) >= \(least)
        ORDER BY \(column: \Gauge.name) DESC
        """)
    #expect(gauges.map(\.name) == ["g2", "g1"])
    #expect(gauges.first === known[2])
    #expect(gauges.first?.note == "unsaved")
    context.delete(known[1])
    #expect(
      try context.fetch(Gauge.self, sql: "SELECT _id FROM \"Gauge\" ORDER BY _id").map(\.name)
        == ["g0", "g2"])
  }

  @Test("gives tuples of every kind of value")
  func tuples() throws {
    let rows = try context.rows(
      sql: """
        SELECT \(column: \Gauge.name), depth, count, level, time, alarm, tag, "isOpen", datum_name
        FROM "Gauge" ORDER BY name
        """,
      as: (String, Double?, Int, Double, Date, Alarm?, UUID, Bool, String).self)
    #expect(rows.map(\.0) == ["g0", "g1", "g2"])
    #expect(rows.map(\.1) == [1.5, nil, 1.5])
    #expect(rows.map(\.4.timeIntervalSinceReferenceDate) == [0, 1, 2])
    #expect(rows.map(\.5) == [.amber, .amber, .amber])
    #expect(try context.rows(sql: "SELECT sum(count) FROM \"Gauge\"", as: Int.self) == [3])
    let reference = try #require(
      try context.rows(
        sql: "SELECT _id FROM \"Gauge\" ORDER BY name", as: RowReference<Gauge>.self
      ).first)
    let model = context.model(for: try reference.persistentModelID(in: context)) as? Gauge
    #expect(model?.name == "g0")
  }

  @Test("binds interpolated values of any content")
  func interpolation() throws {
    let hostile = "'; DROP TABLE Gauge; --"
    #expect(try context.rows(sql: "SELECT \(hostile)", as: String.self) == [hostile])
    let time = Date(timeIntervalSinceReferenceDate: 1)
    #expect(
      try context.rows(
        sql:
          "SELECT name FROM \"Gauge\" WHERE \(column: \Gauge.time) = \(time) AND alarm = \(Alarm.amber)",
        as: String.self) == ["g1"])
    #expect(try context.rows(sql: "SELECT \(Double.nan)", as: Double.self).first?.isNaN == true)
    let nothing: Int? = nil
    #expect(try context.rows(sql: "SELECT \(nothing)", as: Int?.self) == [nil])
    let gauge = try #require(try context.fetch(FetchDescriptor<Gauge>()).first)
    let names = try context.rows(
      sql: "SELECT name FROM \"Gauge\" WHERE _id = \(gauge.persistentModelID)", as: String.self)
    #expect(names == [gauge.name])
    #expect(
      try context.rows(
        sql: "SELECT \(column: \Gauge.datum.name) FROM \"Gauge\" WHERE name = 'g0'", as: String.self
      )
        == ["g0"])
  }

  @Test(
    "refuses everything but reading, and leaves the store as it was",
    .enabled(if: StoreKind.tested == .sqlite, "has statements of SQLite"),
    arguments: [
      ("DELETE FROM \"Gauge\"", "writes"), ("CREATE TABLE x (y)", "writes"),
      ("WITH a AS (SELECT 1) INSERT INTO Basin (name, area) SELECT 'x', 1", "writes"),
      ("ATTACH ':memory:' AS other", "denied"), ("PRAGMA user_version = 5", "denied"),
      ("PRAGMA query_only = OFF", "denied"), ("BEGIN", "denied"), ("VACUUM", "writes"),
      ("SAVEPOINT s", "denied"), ("SELECT load_extension('x')", "denied"),
      ("SELECT 1; DELETE FROM \"Gauge\"", "severalStatements"),
      ("SELECT 1; SELECT 2", "severalStatements"),
      ("  -- nothing", "empty"), ("SELECT ?", "parameters"), ("SELECT 1, 2", "columnCount"),
    ])
  func refused(sql: String, code: String) throws {
    let query = SQLQuery(stringLiteral: sql)
    let error = #expect(throws: SQLQueryError.self) {
      try context.rows(sql: query, as: Int.self)
    }
    #expect(error?.code.description == code)
    #expect(try context.rows(sql: "SELECT count(*) FROM \"Gauge\"; -- all", as: Int.self) == [3])
  }

  @Test("names the column and row of another type")
  func wrongType() throws {
    let error = #expect(throws: SQLQueryError.self) {
      try context.rows(
        sql: "SELECT name, depth FROM \"Gauge\" ORDER BY name", as: (String, Double).self)
    }
    #expect(error?.code == .wrongType)
    #expect(error?.row == 2)
    #expect(error?.column == "depth")
    #expect(error?.found == "null")
    let number = #expect(throws: SQLQueryError.self) {
      try context.rows(sql: "SELECT 300", as: UInt8.self)
    }
    #expect(number?.found == "300")
    let alarm = #expect(throws: SQLQueryError.self) {
      try context.rows(sql: "SELECT 'green'", as: Alarm.self)
    }
    #expect(alarm?.found == "green")
  }

  @Test("sees saved values, and reports unknown tables and columns")
  func stores() throws {
    context.insert(Gauge("unsaved"))
    #expect(try context.rows(sql: "SELECT count(*) FROM \"Gauge\"", as: Int.self) == [3])
    let error = #expect(throws: SQLQueryError.self) {
      try context.rows(sql: "SELECT 1", as: Int.self, configuration: "nowhere")
    }
    #expect(error?.code == .ambiguousStore)
    let unknown = #expect(throws: SQLQueryError.self) {
      try context.rows(sql: "SELECT \(column: \Gauge.datum) FROM \"Gauge\"", as: Int.self)
    }
    #expect(unknown?.code == .unknownName)
    #expect(throws: StoreError.self) {
      try context.rows(sql: "SELECT nothing FROM \"Gauge\"", as: Int.self)
    }
  }
}
