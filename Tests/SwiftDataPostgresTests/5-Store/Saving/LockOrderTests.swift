import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Synchronization
import Testing

@testable import SwiftDataPostgres

/// Two saves of the same rows would wait for each other if each wrote them in the order of its edits.
@Suite("The rows of a save on a server", .server, .timeLimit(.minutes(20)))
struct LockOrderTests {
  private let server: PostgresServer
  private let name = uniqueName("locked")

  init() throws { server = try PostgresServer.shared }

  private func container(_ url: String? = nil) throws -> ModelContainer {
    try ModelContainer(
      for: serverSchema, configurations: [PostgresConfiguration(name, url: url ?? server.url)])
  }

  private func connection() throws -> PostgresConnection {
    let connection = try server.connect()
    try connection.use(schema: name)
    return connection
  }

  /// Stores three models of each class.
  private func fill() throws {
    let context = ModelContext(try container())
    for number in 0..<3 {
      context.insert(SampleGroup("\(number)"))
      context.insert(Tag("\(number)"))
      context.insert(Sample("\(number)", count: 10))
      context.insert(Bill(number, customer: nil, price: 1))
    }
    try context.save()
  }

  private func all<Model: PersistentModel>(
    _ type: Model.Type, _ context: ModelContext
  ) throws -> [Model] {
    try context.fetch(FetchDescriptor<Model>(sortBy: [SortDescriptor(\.persistentModelID)]))
  }

  /// Notes the rows that are written from now on, with their tables.
  private func noteWrites(_ tables: [String], _ event: String, _ connection: PostgresConnection)
    throws
  {
    try connection.execute(
      """
      CREATE TABLE written (place bigint GENERATED ALWAYS AS IDENTITY, name text, content jsonb);
      CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO written (name, content) VALUES (TG_TABLE_NAME, to_jsonb(NEW));
        RETURN NEW;
      END $$;
      """)
    for table in tables {
      try connection.execute(
        "CREATE TRIGGER note_write \(event) ON \"\(table)\""
          + " FOR EACH ROW EXECUTE FUNCTION note_write()")
    }
  }

  @Test("are written in the order of the tables and rows, whatever the order of the edits")
  func order() throws {
    try fill()
    let connection = try connection()
    try noteWrites(["Tag", "SampleGroup"], "BEFORE UPDATE", connection)
    let context = ModelContext(try container())
    let (tags, groups) = (try all(Tag.self, context), try all(SampleGroup.self, context))
    for tag in tags.reversed() { tag.name += "!" }
    for group in groups.reversed() { group.name += "!" }
    try context.save()
    let written = try connection.run(
      "SELECT name, (content->>'_id')::bigint FROM written ORDER BY place")
    #expect(
      (0..<written.rowCount).map { written.text($0, 0) } == [
        "SampleGroup", "SampleGroup", "SampleGroup", "Tag", "Tag", "Tag",
      ])
    let expected = (groups.map(\.persistentModelID) + tags.map(\.persistentModelID)).map(\.rowID)
    #expect((0..<written.rowCount).map { written.integer($0, 1) } == expected)
  }

  @Test(
    "are written in their order, whichever properties have changed, and not locked before",
    arguments: [true, false])
  func properties(isCountFirst: Bool) throws {
    try fill()
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let connection = try connection()
    try noteWrites(["Sample"], "BEFORE UPDATE", connection)
    let context = ModelContext(try container(proxy.url))
    let samples = try all(Sample.self, context)
    samples[isCountFirst ? 0 : 1].count = 7
    samples[isCountFirst ? 1 : 0].size = 7
    try context.save()
    let written = try connection.run(
      "SELECT (content->>'_id')::bigint FROM written ORDER BY place")
    #expect(
      (0..<written.rowCount).map { written.integer($0, 0) }
        == samples.prefix(2).map(\.persistentModelID.rowID))
    let locks = proxy.statements.filter {
      $0.contains("\"Sample\"") && $0.contains("FOR NO KEY UPDATE")
    }
    #expect(locks.isEmpty)
  }

  // MARK: - Waiting

  /// Saves while another transaction has a row.
  ///
  /// - Parameters:
  ///   - table: A table.
  ///   - statement: The statement that locks the other transaction's row.
  /// - Returns: The rows of the table that nobody has locked while the save waits.
  private func freeRows(
    of table: String, while context: ModelContext, waitsFor statement: String
  ) throws -> [Int64?] {
    let other = try connection()
    try other.begin()
    try other.run(statement)
    let process = try other.run("SELECT pg_backend_pid()").integer(0, 0) ?? 0
    nonisolated(unsafe) let context = context
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let group = DispatchGroup()
    group.enter()
    // A thread of its own: it waits for the server.
    Thread {
      let result = Result { try context.save() }
      outcome.withLock { $0 = result }
      group.leave()
    }.start()
    let observer = try connection()
    let waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE \(process) = ANY (pg_blocking_pids(pid))"
    while try observer.run(waiting).integer(0, 0) == 0, outcome.withLock({ $0 == nil }) {}
    #expect(outcome.withLock { $0 == nil })
    let free = try observer.run(
      "SELECT _id FROM \"\(table)\" ORDER BY _id FOR NO KEY UPDATE SKIP LOCKED")
    try other.run("COMMIT")
    group.wait()
    try outcome.withLock { try $0?.get() }
    return (0..<free.rowCount).map { free.integer($0, 0) }
  }

  private static func lock(_ model: some PersistentModel) -> String {
    let identifier = model.persistentModelID
    return "SELECT 1 FROM \"\(identifier.entityName)\" WHERE _id = \(identifier.rowID ?? 0)"
      + " FOR UPDATE"
  }

  @Test("are locked in their order when each statement has some between those of the others")
  func mixedProperties() throws {
    try fill()
    let context = ModelContext(try container())
    let samples = try all(Sample.self, context)
    samples[0].count = 7
    samples[1].size = 7
    samples[2].count = 8
    let free = try freeRows(of: "Sample", while: context, waitsFor: Self.lock(samples[1]))
    #expect(free == [samples[2].persistentModelID.rowID])
    let stored = try all(Sample.self, ModelContext(try container()))
    #expect(stored.map(\.count) == [7, 10, 8])
    #expect(stored[1].size == 7)
  }

  @Test("are locked in their order when some are deleted")
  func deletions() throws {
    try fill()
    let context = ModelContext(try container())
    let (tags, groups) = (try all(Tag.self, context), try all(SampleGroup.self, context))
    let rowIDs = tags.map(\.persistentModelID.rowID)
    context.delete(tags[2])
    groups[0].name = "new"
    let free = try freeRows(of: "Tag", while: context, waitsFor: Self.lock(groups[0]))
    #expect(free == rowIDs)
    let reading = ModelContext(try container())
    #expect(try all(Tag.self, reading).map(\.name) == ["0", "1"])
    #expect(try all(SampleGroup.self, reading).map(\.name) == ["new", "1", "2"])
  }

  @Test("are locked in the order of tables when rows of several are deleted")
  func deletionsOfSeveralClasses() throws {
    try fill()
    let context = ModelContext(try container())
    let (groups, samples) = (try all(SampleGroup.self, context), try all(Sample.self, context))
    let rowIDs = groups.map(\.persistentModelID.rowID)
    // The locks of delete rules begin with the groups.
    let lock = Self.lock(samples[0])
    context.delete(groups[0])
    context.delete(samples[0])
    let free = try freeRows(of: "SampleGroup", while: context, waitsFor: lock)
    #expect(free == rowIDs)
    #expect(try context.fetchCount(FetchDescriptor<Sample>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<SampleGroup>()) == 2)
  }

  // MARK: - Found rows

  @Test("are locked in their order when new models get them")
  func foundRows() throws {
    try fill()
    // The first row is behind the others now, so that the server finds it last in any case.
    try connection().run("UPDATE \"Sample\" SET count = 11 WHERE key = '0'")
    let context = ModelContext(try container())
    let samples = try all(Sample.self, ModelContext(try container()))
    let rowIDs = samples.map(\.persistentModelID.rowID)
    for key in ["1", "0"] { context.insert(Sample(key, count: 12)) }
    let free = try freeRows(of: "Sample", while: context, waitsFor: Self.lock(samples[0]))
    #expect(free == Array(rowIDs.dropFirst()))
    #expect(try all(Sample.self, ModelContext(try container())).map(\.count) == [12, 12, 10])
  }

  @Test("are locked in the order of tables when new models of several classes get them")
  func foundRowsOfSeveralClasses() throws {
    try fill()
    let context = ModelContext(try container())
    let reading = ModelContext(try container())
    let bill = try #require(try all(Bill.self, reading).first)
    let rowIDs = try all(Sample.self, reading).map(\.persistentModelID.rowID)
    context.insert(Sample("0", count: 12))
    context.insert(Bill(0, customer: "new", price: 2))
    let free = try freeRows(of: "Sample", while: context, waitsFor: Self.lock(bill))
    #expect(free == rowIDs)
  }

  @Test("of pairs are written in one order from both ends")
  func pairs() throws {
    try fill()
    let connection = try connection()
    let table = try connection.run(
      "SELECT table_name::text FROM information_schema.columns"
        + " WHERE table_schema = '\(name)' AND column_name = 'owner'")
    try noteWrites([try #require(table.text(0, 0))], "AFTER INSERT", connection)
    func written(_ link: ([SampleGroup], [Tag]) -> Void) throws -> [String?] {
      let context = ModelContext(try container())
      let (groups, tags) = (try all(SampleGroup.self, context), try all(Tag.self, context))
      link(Array(groups.prefix(2)), Array(tags.prefix(2)))
      try context.save()
      let rows = try connection.run("SELECT content::text FROM written ORDER BY place")
      for group in groups { group.tags = [] }
      try context.save()
      try connection.run("DELETE FROM written")
      return (0..<rows.rowCount).map { rows.text($0, 0) }
    }
    let fromGroups = try written { groups, tags in
      for group in groups { group.tags = tags.reversed() }
    }
    let fromTags = try written { groups, tags in
      for tag in tags.reversed() { tag.groups = groups }
    }
    #expect(fromGroups.count == 4)
    #expect(fromGroups == fromTags)
  }
}
