import SwiftData
import SwiftDataExtras
import Testing

@Suite("The log of statements")
struct StatementLogTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Gauge.self, Basin.self)
    context = ModelContext(container)
    for index in 0..<3 { context.insert(Gauge("secret\(index)")) }
  }

  @Test("has text, kind and rows of each statement, and as many as are counted")
  func recording() throws {
    let before = container.executedStatementCount
    let (_, writing) = try container.recordingStatements { try context.save() }
    #expect(writing.count == container.executedStatementCount - before)
    #expect(writing.contains { $0.kind == .write && $0.sql.hasPrefix("INSERT INTO \"Gauge\"") })
    let (gauges, reading) = try container.recordingStatements {
      try ModelContext(container).fetch(FetchDescriptor<Gauge>())
    }
    #expect(gauges.count == 3)
    #expect(reading.map(\.kind) == [.read])
    #expect(reading.map(\.rows) == [3])
    #expect(reading.allSatisfy { $0.duration > .zero && $0.number > before })
  }

  @Test("has values only when they are asked for")
  func values() throws {
    let (_, plain) = try container.recordingStatements { try context.save() }
    #expect(plain.allSatisfy { $0.expandedSQL == nil && !$0.description.contains("secret") })
    let name = "secret1"
    let (_, full) = try container.recordingStatements(includingValues: true) {
      try context.fetchCount(FetchDescriptor<Gauge>(predicate: #Predicate { $0.name == name }))
    }
    #expect(full.last?.expandedSQL?.contains("'secret1'") == true)
    #expect(full.last?.sql.contains("secret") == false)
    let quoted = "x'\u{301}"
    let (_, accented) = try container.recordingStatements(includingValues: true) {
      try context.fetchCount(FetchDescriptor<Gauge>(predicate: #Predicate { $0.name == quoted }))
    }
    let written = try #require(accented.last?.expandedSQL)
    #expect(Array(written.utf8).contains(Array("'x''\u{301}'".utf8)))
  }

  @Test("is a stream with a bounded buffer, which counts dropped statements")
  func stream() async throws {
    try context.save()
    let statements = container.statements(bufferSize: 2)
    for _ in 0..<5 { _ = try context.fetchCount(FetchDescriptor<Gauge>()) }
    var iterator = statements.makeAsyncIterator()
    let first = try #require(await iterator.next())
    let second = try #require(await iterator.next())
    #expect(second.number == first.number + 1)
    #expect(second.number == container.executedStatementCount)
    #expect(first.store == second.store)
  }

  @Test("keeps no more than its limit, and nothing once it is over")
  func limit() throws {
    try context.save()
    let (_, statements) = try container.recordingStatements(limit: 2) {
      for _ in 0..<5 { _ = try context.fetchCount(FetchDescriptor<Gauge>()) }
    }
    #expect(statements.count == 2)
  }

  @Test("shows that aggregates are one statement with groups in it")
  func aggregates() throws {
    try context.save()
    let (groups, statements) = try container.recordingStatements {
      try context.groups(of: Gauge.self, by: \.alarm, .count, .sum(\.count))
    }
    #expect(groups.count == 1)
    #expect(statements.count == 1)
    #expect(statements.first?.sql.contains("count(*)") == true)
    #expect(statements.first?.sql.contains("GROUP BY t0.\"alarm\"") == true)
  }
}
