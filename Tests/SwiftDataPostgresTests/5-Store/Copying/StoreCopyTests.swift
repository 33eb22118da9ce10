import Foundation
import PostgresTesting
import StoreTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import TestSupport
import Testing

@testable import SwiftDataPostgres

@Suite("A copy of a store on a server", .server, .timeLimit(.minutes(20)))
struct StoreCopyTests {
  private let folder: TemporaryFolder
  private let server: PostgresServer
  private let name = uniqueName("copied")

  init() throws {
    folder = try TemporaryFolder("store-copy")
    server = try PostgresServer.shared
  }

  private func file(_ schema: Schema, key: EncryptionKey? = nil) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: folder.url.appending(path: "source.store"))
    configuration.encryptionKey = key
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  private func target(key: EncryptionKey? = nil) throws -> PostgresConfiguration {
    var configuration = PostgresConfiguration(name, url: server.url)
    configuration.encryptionKey = key
    return configuration
  }

  @Test("has all models with their values, identities, relationships and classes")
  func everything() throws {
    let schema = Schema([
      Sample.self, SampleGroup.self, Tag.self, Vehicle.self, Tram.self, Depot.self,
    ])
    let source = try file(schema)
    let context = ModelContext(source)
    let tags = (0..<7).map { Tag("tag \($0)") }
    for number in 0..<40 {
      let sample = Sample("key \(number)", count: number - 3)
      sample.big = .max - UInt64(number)
      sample.price = Decimal(string: "-123456789012345678.9\(number)") ?? 0
      sample.note = number % 3 == 0 ? nil : "é e\u{301} \(number)"
      sample.place = number % 2 == 0 ? Place(latitude: -0.0, longitude: 1e300) : nil
      sample.url = URL(string: "https://example.org/\(number)")
      context.insert(sample)
      if number % 5 == 0 {
        let group = SampleGroup("group \(number)")
        context.insert(group)
        group.tags = Array(tags[0...(number % 7)])
        sample.group = group
        group.parent = group
      }
      let vehicle = number % 2 == 0 ? Vehicle(number) : Tram(number)
      context.insert(vehicle)
      vehicle.depot = Depot("depot \(number)")
    }
    try context.save()
    context.delete(try #require(context.fetch(FetchDescriptor<Sample>()).first))
    try context.save()

    var steps: [StoreCopyProgress] = []
    let report = try source.copy(to: target()) { steps.append($0) }
    #expect(
      report.models == [
        "Sample": 39, "SampleGroup": 8, "Tag": 7, "Vehicle": 20, "Tram": 20, "Depot": 40,
      ])
    #expect(steps.last { $0.entity == "Sample" }?.copied == 39)
    #expect(steps.allSatisfy { $0.copied <= $0.total })
    let copy = ModelContext(try ModelContainer(for: schema, configurations: [target()]))
    let original = ModelContext(source)
    func samples(_ context: ModelContext) throws -> [[String]] {
      try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.key)])).map { sample in
        [
          sample.key, "\(sample.count) \(sample.small) \(sample.big) \(sample.size)",
          "\(sample.isOpen) \(sample.date.timeIntervalSinceReferenceDate) \(sample.data as NSData)",
          "\(sample.uuid) \(sample.url?.absoluteString ?? "") \(sample.price) \(sample.numbers)",
          "\(sample.rank ?? -1) \(sample.note ?? "none") \(sample.place?.longitude ?? 0)",
          sample.group?.name ?? "", "\(sample.persistentModelID.rowID ?? 0)",
          sample.group?.parent?.name ?? "",
          (sample.group?.tags.map(\.name) ?? []).sorted().joined(separator: ","),
        ]
      }
    }
    #expect(try samples(copy) == samples(original))
    let trams = try copy.fetch(FetchDescriptor<Tram>(sortBy: [SortDescriptor(\.number)]))
    #expect(trams.map(\.number) == stride(from: 1, to: 40, by: 2).map { $0 })
    #expect(trams.allSatisfy { $0.depot?.name == "depot \($0.number)" })
    // New rows don't get the IDs of copied ones, and delete rules hold.
    for number in 100..<140 { copy.insert(Sample("new \(number)")) }
    try copy.delete(model: SampleGroup.self)
    try copy.save()
    #expect(try copy.fetchCount(FetchDescriptor<Sample>()) == 39 + 40 - 7)
    #expect(try ModelContext(copy.container).fetchCount(FetchDescriptor<Tag>()) == 7)
  }

  @Test("keeps the orders of lists")
  func orders() throws {
    let source = try file(Tours.schema)
    let context = ModelContext(source)
    for number in 0..<3 {
      let tour = Tour("tour \(number)")
      context.insert(tour)
      for place in [3, 1, 2, 0] { tour.halts.append(Halt("halt \(number) \(place)")) }
      for place in [2, 0, 1] { tour.postcards.append(Postcard("card \(place)")) }
    }
    let tours = try context.fetch(FetchDescriptor<Tour>(sortBy: [SortDescriptor(\.name)]))
    for number in [1, 0] {
      let guide = Guide("guide \(number)")
      context.insert(guide)
      guide.tours = number == 0 ? tours : tours.reversed()
    }
    try context.save()
    tours[0].halts.insert(tours[0].halts.removeLast(), at: 0)
    try context.save()
    try source.copy(to: target())
    let copy = ModelContext(try ModelContainer(for: Tours.schema, configurations: [target()]))
    func lists(_ context: ModelContext) throws -> [[String]] {
      try context.fetch(FetchDescriptor<Tour>(sortBy: [SortDescriptor(\.name)])).map { tour in
        tour.halts.map(\.name) + tour.postcards.map(\.text) + tour.guides.map(\.name)
      }
        + context.fetch(FetchDescriptor<Guide>(sortBy: [SortDescriptor(\.name)])).map {
          $0.tours.map(\.name)
        }
    }
    #expect(try lists(copy) == lists(ModelContext(source)))
  }

  @Test("is continued when it was interrupted, and can't be used before its end")
  func continuation() throws {
    let schema = Schema([Tag.self, SampleGroup.self, Sample.self])
    let source = try file(schema)
    let context = ModelContext(source)
    for number in 0..<12_000 { context.insert(Tag("tag \(number)")) }
    context.insert(SampleGroup("group"))
    try context.save()
    struct Interruption: Error {}
    var copied: [Int] = []
    for _ in 0..<2 {
      #expect(throws: Interruption.self) {
        try source.copy(to: target()) { step in
          copied.append(step.copied)
          if step.entity == "Tag", copied.filter({ $0 > 1 }).count % 2 == 0 { throw Interruption() }
        }
      }
    }
    do {
      _ = try ModelContainer(for: schema, configurations: [target()])
      Issue.record("an unfinished copy was opened")
    } catch let error as StoreError {
      #expect(error.code == .cannotOpen)
      #expect(error.description.contains("isn't complete"))
    }
    let report = try source.copy(to: target())
    #expect(report.models["Tag"] == 12_000)
    let copy = ModelContext(try ModelContainer(for: schema, configurations: [target()]))
    #expect(try copy.fetchCount(FetchDescriptor<Tag>()) == 12_000)
    do {
      try source.copy(to: target())
      Issue.record("a store with models was written")
    } catch let error as StoreError { #expect(error.code == .cannotOpen) }
  }

  @Test("adds the keys of its tables without a time limit")
  func timeLimit() throws {
    let schema = Schema([Tag.self, SampleGroup.self, Sample.self])
    let source = try file(schema)
    let context = ModelContext(source)
    context.insert(SampleGroup("group"))
    try context.save()
    // The trigger is that of a database.
    let url = try server.makeDatabase()
    let connection = try PostgresConnection(server.options(url))
    try connection.execute(
      """
      CREATE TABLE public.limits (id serial, value text);
      CREATE FUNCTION public.note_limit() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_query() LIKE '%ADD CONSTRAINT%' THEN
          INSERT INTO public.limits (value) VALUES (current_setting('statement_timeout'));
        END IF;
      END $$;
      CREATE EVENT TRIGGER note_limit ON ddl_command_end WHEN TAG IN ('ALTER TABLE')
        EXECUTE FUNCTION public.note_limit();
      """)
    try source.copy(to: PostgresConfiguration(name, url: url))
    // The keys are added when the empty store is made, and once more at the end of the copy.
    let limits = try connection.run("SELECT value FROM public.limits ORDER BY id")
    let count = limits.rowCount / 2
    #expect(count > 0)
    let ofRows = (count..<limits.rowCount).map { limits.text($0, 0) }
    #expect(ofRows.allSatisfy { $0 == "0" }, "\(ofRows)")
  }

  @Test("is complete when the connection is lost before its tables are analyzed")
  func analysis() throws {
    let schema = Schema([Tag.self, SampleGroup.self, Sample.self])
    let source = try file(schema)
    let context = ModelContext(source)
    context.insert(Tag("tag"))
    try context.save()
    let proxy = try PostgresProxy(to: server)
    defer { proxy.stop() }
    let program = String(uniqueName("program").prefix(30))
    proxy.before("ANALYZE") { [server] in
      do {
        try server.connect().run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
          [.text(program)])
      } catch { Issue.record(error) }
    }
    let report = try source.copy(
      to: PostgresConfiguration(name, url: proxy.url + "&application_name=\(program)"))
    #expect(report.models["Tag"] == 1)
    let copy = ModelContext(try ModelContainer(for: schema, configurations: [target()]))
    #expect(try copy.fetchCount(FetchDescriptor<Tag>()) == 1)
  }

  @Test("has the values under keys, also when it is interrupted between them")
  func values() throws {
    let schema = Schema([Sample.self])
    let source = try file(schema)
    var expected: [String: Data] = ["": Data([9]), "/": Data(), "é\u{10FFFF}": Data([0, 1])]
    for number in 0..<1_200 { expected["key \(number)"] = Data("value \(number)".utf8) }
    func set(_ values: [String: Data?]) throws {
      let batch = try BatchUpsert<Sample>(source)
      for (key, value) in values { try batch.setMetadata(value, forKey: key) }
      try batch.commit()
    }
    try set(expected)
    // Another program's rows without a value.
    _ = try SQLiteFile(folder.url.appending(path: "source.store")).values(
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 600)"
        + " INSERT INTO \"_metadata\" (key, value) SELECT 'user.a' || i, NULL FROM n")
    // The last key can't be stored there, so that the copy ends after some of the others.
    try set(["ÿ\0": Data([1])])
    do {
      try source.copy(to: target())
      Issue.record("U+0000 was stored")
    } catch let error as StoreError { #expect(error.code == .unsupportedValue) }
    try set(["ÿ\0": nil])
    #expect(try source.copy(to: target()).valueCount == expected.count)
    let copy = try ModelContainer(for: schema, configurations: [target()])
    for (key, value) in expected { #expect(try copy.storeMetadata(forKey: key) == value) }
    #expect(try copy.storeMetadata(forKey: "removed") == nil)
  }

  @Test("refuses a source that changes, and values that the server can't hold")
  func refusals() throws {
    let schema = Schema([Tag.self, SampleGroup.self, Sample.self])
    let source = try file(schema)
    let context = ModelContext(source)
    context.insert(Tag("a"))
    try context.save()
    do {
      try source.copy(to: target()) { _ in
        let other = ModelContext(source)
        other.insert(SampleGroup("late"))
        try other.save()
      }
      Issue.record("a store that changed was copied")
    } catch let error as StoreError { #expect(error.code == .busy) }
    context.insert(Tag("zero \0"))
    try context.save()
    do {
      try source.copy(to: PostgresConfiguration(uniqueName("copied"), url: server.url))
      Issue.record("U+0000 was stored")
    } catch let error as StoreError {
      #expect(error.code == .unsupportedValue)
      #expect(error.description.contains("Tag.name"))
    }
  }

  @Test("encrypts with its own key")
  func encryption() throws {
    let schema = Schema([Secret.self])
    let (key, other) = (EncryptionKey(), EncryptionKey())
    let source = try file(schema, key: key)
    let context = ModelContext(source)
    for number in 0..<5 { context.insert(Secret("name \(number)", "text \(number)", number)) }
    try context.save()
    try source.copy(to: target(key: other))
    let copy = ModelContext(
      try ModelContainer(for: schema, configurations: [target(key: other)]))
    let found = try copy.fetch(FetchDescriptor<Secret>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.text) == (0..<5).map { "text \($0)" })
    #expect(found.map(\.code) == (0..<5).map { "code of name \($0)" })
  }
}
