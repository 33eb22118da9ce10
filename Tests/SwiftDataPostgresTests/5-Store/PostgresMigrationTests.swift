import Foundation
import MigrationSamples
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataPostgres
import Synchronization
import TestSupport
import Testing

@Suite("Migrations on a server", .server)
struct PostgresMigrationTests {
  private let configuration: PostgresConfiguration

  init() throws {
    configuration = PostgresConfiguration(
      uniqueName("migrated"), url: try PostgresServer.shared.url)
  }

  private func open(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    guard let plan else {
      return ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
    }
    return ModelContext(
      try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration]))
  }

  private func fillPlain(_ names: [String] = ["a", "b", "c"]) throws {
    let context = try open(Plain.schema)
    let box = Plain.Box("box")
    context.insert(box)
    for (number, name) in names.enumerated() {
      let item = Plain.Item(name, number)
      context.insert(item)
      item.box = number == 0 ? nil : box
      item.mark = number == 1 ? "marked" : nil
    }
    try context.save()
  }

  // MARK: - Plans

  /// The models of the last version as texts.
  private func content(_ context: ModelContext) throws -> [String] {
    let artists = try context.fetch(FetchDescriptor<MusicVersion5.Artist>()).map { artist in
      "\(artist.firstName)|\(artist.lastName)|\(artist.born)|\(artist.albums.map(\.title).sorted())"
    }
    let albums = try context.fetch(FetchDescriptor<MusicVersion5.Album>()).map { album in
      "\(album.title)|\(String(describing: album.year))|\(album.genre)"
        + "|\(album.artists.map(\.lastName).sorted())|\(album.tracks.map(\.name).sorted())"
    }
    let tracks = try context.fetch(FetchDescriptor<MusicVersion5.Track>()).map { track in
      "\(track.name)|\(track.seconds)|\(track.plays)|\(track.album?.title ?? "-")"
    }
    return (artists + albums + tracks).sorted()
  }

  @Test("of a plan give the same models as in a file", arguments: 1...4)
  func plan(version: Int) throws {
    try MusicStore.fill(try open(MusicStore.schema(version), MusicPlan.self), version)
    let folder = try TemporaryFolder()
    let file = folder.newFile("music")
    try MusicStore.make(file, version)
    let wanted = try content(ModelContext(try MusicStore.open(file, 5)))
    let migrated = try open(MusicStore.schema(5), MusicPlan.self)
    #expect(try content(migrated) == wanted)
    #expect(wanted.count > 20)
    // Rules of the last version, and new models.
    let album = try #require(try migrated.fetch(FetchDescriptor<MusicVersion5.Album>()).first)
    migrated.delete(album)
    migrated.insert(MusicVersion5.Track("new", seconds: 1))
    try migrated.save()
    let again = try open(MusicStore.schema(5), MusicPlan.self)
    #expect(try again.fetchCount(FetchDescriptor<MusicVersion5.Album>()) == 59)
    let count = try again.fetchCount(FetchDescriptor<MusicVersion5.Track>())
    #expect(count == (version == 1 ? 1 : 61))
  }

  @Test("go through all versions, one after the other")
  func versions() throws {
    try MusicStore.fill(try open(MusicStore.schema(1), MusicPlan.self), 1)
    for version in 2...5 { _ = try open(MusicStore.schema(version), MusicPlan.self) }
    let context = try open(MusicStore.schema(5), MusicPlan.self)
    #expect(try context.fetchCount(FetchDescriptor<MusicVersion5.Album>()) == 60)
    do {
      _ = try open(MusicStore.schema(2), MusicPlan.self)
      Issue.record("an older program has opened a newer store")
    } catch let error as SwiftDataError {
      #expect("\(error)".contains("newer"))
    }
  }

  @Test("have no effect when the code of a stage fails")
  func failingStage() throws {
    try fillPlain()
    do {
      _ = try open(Changed.schema, FailingPlan.self)
      Issue.record("the failure was ignored")
    } catch let error as MigrationError {
      #expect(error.code == .stageFailed && error.underlyingError is FailingPlan.Failure)
    }
    let items = try open(Plain.schema).fetch(
      FetchDescriptor<Plain.Item>(sortBy: [SortDescriptor(\.count)]))
    #expect(items.map(\.name) == ["a", "b", "c"] && items.map(\.count) == [0, 1, 2])
  }

  // MARK: - History

  /// A plan that changes models before and after the migration.
  private enum RenamingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { FailingPlan.schemas }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: FailingPlan.First.self, toVersion: FailingPlan.Second.self,
          willMigrate: { context in
            for item in try context.fetch(FetchDescriptor<Plain.Item>()) { item.name += "!" }
            context.author = "before"
            try context.save()
          },
          didMigrate: { context in
            context.author = "after"
            for item in try context.fetch(FetchDescriptor<Changed.Item>()) { item.count = -1 }
          })
      ]
    }
  }

  @Test("keep the history and its tokens, and add the changes of their stages")
  func history() throws {
    try fillPlain(["a"])
    let token: DefaultHistoryToken
    do {
      let context = try open(Plain.schema)
      token = try #require(try context.history().last?.token)
    }
    let context = try open(Changed.schema, RenamingPlan.self)
    let item = try #require(try context.fetch(FetchDescriptor<Changed.Item>()).first)
    #expect(item.title == "a!" && item.count == -1)
    item.mark = "m"
    try context.save()
    let history = try context.history()
    #expect(history.map(\.transactionIdentifier) == [1, 2, 3, 4])
    #expect(history.map(\.author) == [nil, "before", "after", nil])
    #expect(history[0].summary.sorted() == ["insert Box", "insert Item"])
    // The property's present name.
    #expect(
      history.dropFirst().map(\.summary) == [
        ["update Item title"], ["update Item count"], ["update Item mark"],
      ])
    #expect(try context.history(#Predicate { $0.token > token }).count == 3)
  }

  @Test("are noticed by others, and leave writes of other programs noticeable")
  func notes() throws {
    try fillPlain()
    let connection = try PostgresServer.shared.connect()
    try connection.use(schema: configuration.databaseSchema)
    func count() throws -> Int64? {
      try connection.run("SELECT count(*) FROM \"_foreign\"").integer(0, 0)
    }
    _ = try open(Changed.schema)
    #expect(try count() == 1)
    try connection.run("UPDATE \"Item\" SET \"count\" = 7")
    try connection.run("UPDATE \"Box\" SET \"name\" = 'other'")
    #expect(try count() == 3)
  }

  // MARK: - Inferred migrations

  @Test("rename, convert, fill, and change rules and indices")
  func inferred() throws {
    try fillPlain()
    let context = try open(Changed.schema)
    let items = try context.fetch(
      FetchDescriptor<Changed.Item>(sortBy: [SortDescriptor(\.count)]))
    #expect(items.map(\.title) == ["a", "b", "c"] && items.map(\.count) == [0, 1, 2])
    #expect(items.map(\.mark) == ["none", "marked", "none"])
    #expect(items.map { $0.box?.name } == [nil, "box", "box"])
    // The index is new, and so is the rule.
    context.insert(Changed.Item("a", 10))
    let box = try #require(try context.fetch(FetchDescriptor<Changed.Box>()).first)
    context.delete(box)
    try context.save()
    let rest = try open(Changed.schema).fetch(FetchDescriptor<Changed.Item>())
    #expect(rest.map(\.count) == [10])
    let objects = try PostgresServer.shared.connect().run(
      """
      SELECT count(*) FILTER (WHERE relkind = 'i' AND relname LIKE '%title%'),
        count(*) FILTER (WHERE relname LIKE '\\_migration%' OR relname LIKE '\\_pairs%'),
        count(*) FILTER (WHERE relkind = 'v')
      FROM pg_class WHERE relnamespace = ($1)::text::regnamespace
      """, [.text(configuration.databaseSchema)])
    #expect(objects.integer(0, 0) == 2 && objects.integer(0, 1) == 0)
    #expect(objects.integer(0, 2) == 2)
    let keys = try PostgresServer.shared.connect().run(
      "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f'"
        + " AND connamespace = ($1)::text::regnamespace", [.text(configuration.databaseSchema)])
    #expect(keys.rowCount == 1 && keys.text(0, 0)?.contains("ON DELETE CASCADE") == true)
  }

  @Test("name the rows that prevent them, and change nothing")
  func refusal() throws {
    try fillPlain(["a", "a", "b"])
    do {
      _ = try open(Changed.schema)
      Issue.record("two rows share a unique value")
    } catch let error as MigrationError {
      #expect(error.code == .notUnique && error.rowCount == 2)
    }
    do {
      _ = try open(Required.schema)
      Issue.record("a value is missing")
    } catch let error as MigrationError {
      #expect(error.code == .missingValue && error.property == "size" && error.rowCount == 3)
    }
    #expect(try open(Plain.schema).fetchCount(FetchDescriptor<Plain.Item>()) == 3)
  }

  // MARK: - Numbers

  /// Inserts models, those without a value of the new type last; checks that the migration names just these, and makes
  /// it without them.
  private func migrate<Item: PersistentModel>(
    _ items: [Item], refusing refused: [Item] = [], from old: Schema, to new: Schema
  ) throws -> ModelContext {
    let context = try open(old)
    for item in items + refused { context.insert(item) }
    try context.save()
    guard !refused.isEmpty else { return try open(new) }
    let preview = try ModelContainer.migrationPreview(for: new, configuration: configuration)
    #expect(preview.stages.flatMap(\.problems).map(\.code) == [.unsuitableValue])
    #expect(preview.stages.flatMap(\.problems).map(\.rowCount) == [refused.count])
    do {
      _ = try open(new)
      Issue.record("values without an equivalent were converted")
    } catch let error as MigrationError {
      #expect(error.code == .unsuitableValue && error.property == "number")
      #expect(error.rowCount == refused.count)
    }
    for item in refused { context.delete(item) }
    try context.save()
    return try open(new)
  }

  @Test("of reals to unsigned integers keep all digits")
  func realsToUnsigned() throws {
    let whole: [UInt64] = [0, 1_700_000_000_123_456, 1 << 63, 1 << 63 + 2048, .max - 2047]
    let items = whole.map { Numbers.Real.Item("\($0)", Double($0)) }
    let refused = [-1, 0.5, 0x1p64, 1e300, .infinity, -.infinity]
      .map { Numbers.Real.Item("refused", $0) }
    let context = try migrate(
      items, refusing: refused, from: Numbers.Real.schema, to: Numbers.Unsigned.schema)
    let found = try context.fetch(FetchDescriptor<Numbers.Unsigned.Item>())
    #expect(found.map(\.number).sorted() == whole.sorted())
    #expect(found.allSatisfy { $0.name == "\($0.number)" })
  }

  @Test("of reals to integers keep all digits")
  func realsToIntegers() throws {
    let whole = [0, 1_700_000_000_123_456, -1_700_000_000_123_456, .min, .max - 1023]
    let items = whole.map { Numbers.Real.Item("\($0)", Double($0)) }
    let refused = [-0.5, 0x1p63, -1e300, .infinity].map { Numbers.Real.Item("refused", $0) }
    let context = try migrate(
      items, refusing: refused, from: Numbers.Real.schema, to: Numbers.Signed.schema)
    let found = try context.fetch(FetchDescriptor<Numbers.Signed.Item>())
    #expect(found.map(\.number).sorted() == whole.sorted())
  }

  @Test("of integers to reals refuse just those that aren't reals")
  func integersToReals() throws {
    let exact = [0, 1_700_000_000_123_456, -1_700_000_000_123_456, 1 << 53 + 2, .min]
    let items = exact.map { Numbers.Signed.Item("\($0)", $0) }
    let refused = [1_000_000_000_000_010_000, 1 << 53 + 1, .max, .min + 1]
      .map { Numbers.Signed.Item("refused", $0) }
    let context = try migrate(
      items, refusing: refused, from: Numbers.Signed.schema, to: Numbers.Real.schema)
    let found = try context.fetch(FetchDescriptor<Numbers.Real.Item>())
    #expect(found.map(\.number).sorted() == exact.map { Double($0) }.sorted())
    #expect(found.allSatisfy { $0.name == "\(Int($0.number))" })
  }

  @Test("of unsigned integers to reals refuse just those that aren't reals")
  func unsignedToReals() throws {
    let exact: [UInt64] = [0, 1_700_000_000_123_456, 1 << 63, 1 << 63 + 2048, .max - 2047]
    let items = exact.map { Numbers.Unsigned.Item("\($0)", $0) }
    let refused = [1_000_000_000_000_010_000, 1 << 53 + 1, 1 << 63 - 1, 1 << 63 + 1, .max]
      .map { Numbers.Unsigned.Item("refused", $0) }
    let context = try migrate(
      items, refusing: refused, from: Numbers.Unsigned.schema, to: Numbers.Real.schema)
    let found = try context.fetch(FetchDescriptor<Numbers.Real.Item>())
    #expect(found.map(\.number).sorted() == exact.map { Double($0) }.sorted())
    #expect(found.allSatisfy { $0.name == "\(UInt64($0.number))" })
  }

  @Test("of texts to integers refuse just those that aren't integers")
  func textsToIntegers() throws {
    let items = ["0", "-12", "345"].map { Numbers.Text.Item($0, $0) }
    let refused = ["", "twelve", "01"].map { Numbers.Text.Item("refused", $0) }
    let context = try migrate(
      items, refusing: refused, from: Numbers.Text.schema, to: Numbers.Signed.schema)
    let found = try context.fetch(FetchDescriptor<Numbers.Signed.Item>())
    #expect(found.map(\.number).sorted() == [-12, 0, 345])
  }

  @Test("are made once by several programs that open the store at the same time")
  func concurrentOpening() async throws {
    try fillPlain()
    let configuration = configuration
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let container = try ModelContainer(
            for: Changed.schema, configurations: [configuration])
          let count = try ModelContext(container).fetchCount(FetchDescriptor<Changed.Item>())
          #expect(count == 3)
        }
      }
      try await group.waitForAll()
    }
  }

  /// A plan with code that runs before the migration.
  private enum WaitingPlan: SchemaMigrationPlan {
    static let code = Mutex<(@Sendable () throws -> Void)?>(nil)

    static var schemas: [any VersionedSchema.Type] { FailingPlan.schemas }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: FailingPlan.First.self, toVersion: FailingPlan.Second.self,
          willMigrate: { _ in try code.withLock { $0 }?() }, didMigrate: nil)
      ]
    }
  }

  /// A save that had written rows when it begins to wait for the migration would make the server end one of both.
  @Test("make saves wait before these have written something")
  func savesMeanwhile() throws {
    try fillPlain()
    let container = try open(Plain.schema).container
    let saving = DispatchGroup()
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let table = "'\"\(configuration.databaseSchema)\".\"Item\"'::regclass"
    WaitingPlan.code.withLock {
      $0 = {
        saving.enter()
        Thread {
          let context = ModelContext(container)
          context.insert(Plain.Item("late", 9))
          let result = Result { try context.save() }
          outcome.withLock { $0 = result }
          saving.leave()
        }.start()
        let connection = try PostgresServer.shared.connect()
        let locks =
          "SELECT count(*), count(*) FILTER (WHERE granted) FROM pg_locks"
          + " WHERE mode = 'RowExclusiveLock' AND relation = \(table)"
        var found = try connection.run(locks)
        while found.integer(0, 0) == 0, outcome.withLock({ $0 == nil }) {
          found = try connection.run(locks)
        }
        #expect(found.integer(0, 0) == 1 && found.integer(0, 1) == 0)
      }
    }
    defer { WaitingPlan.code.withLock { $0 = nil } }
    let migrated = try open(Changed.schema, WaitingPlan.self)
    saving.wait()
    // The older models have another name for a column.
    #expect(throws: StoreError.self) { try outcome.withLock { try $0?.get() } }
    #expect(try migrated.fetchCount(FetchDescriptor<Changed.Item>()) == 3)
  }

  /// A plan that removes a table, with code that runs before.
  private enum RemovingPlan: SchemaMigrationPlan {
    static let code = Mutex<(@Sendable () throws -> Void)?>(nil)

    static var schemas: [any VersionedSchema.Type] {
      [FailingPlan.First.self, Single.Version.self]
    }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: FailingPlan.First.self, toVersion: Single.Version.self,
          willMigrate: { _ in try code.withLock { $0 }?() }, didMigrate: nil)
      ]
    }
  }

  @Test("are awaited by programs that open the store meanwhile, also where they remove a table")
  func openingMeanwhile() throws {
    try fillPlain()
    let configuration = configuration
    let opening = DispatchGroup()
    let outcome = Mutex<Result<Int, any Error>?>(nil)
    let schema = Schema(versionedSchema: Single.Version.self)
    RemovingPlan.code.withLock {
      $0 = {
        opening.enter()
        Thread {
          let result = Result {
            let container = try ModelContainer(
              for: schema, migrationPlan: RemovingPlan.self, configurations: [configuration])
            return try ModelContext(container).fetchCount(FetchDescriptor<Single.Item>())
          }
          outcome.withLock { $0 = result }
          opening.leave()
        }.start()
        let connection = try PostgresServer.shared.connect()
        let table = "'\"\(configuration.databaseSchema)\".\"Box\"'::regclass"
        let waiting =
          "SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND NOT granted"
          + " AND relation = \(table)"
        while try connection.run(waiting).integer(0, 0) == 0, outcome.withLock({ $0 == nil }) {}
      }
    }
    defer { RemovingPlan.code.withLock { $0 = nil } }
    let migrated = try open(schema, RemovingPlan.self)
    #expect(try migrated.fetchCount(FetchDescriptor<Single.Item>()) == 3)
    opening.wait()
    #expect(try outcome.withLock { try $0?.get() } == 3)
  }

  @Test("that add something are tolerated by programs with the older models")
  func additions() throws {
    try fillPlain()
    let older = try open(Plain.schema)
    let newer = try open(Extended.schema)
    let item = try #require(try newer.fetch(FetchDescriptor<Extended.Item>()).first)
    #expect(item.color == "grey" && item.weight == nil)
    item.color = "red"
    newer.insert(Extended.Shelf("shelf"))
    try newer.save()
    for context in [older, try open(Plain.schema)] {
      context.insert(Plain.Item("old", 9))
      try context.save()
    }
    #expect(try older.fetchCount(FetchDescriptor<Plain.Item>()) == 5)
    let all = try open(Extended.schema).fetch(FetchDescriptor<Extended.Item>())
    #expect(all.count { $0.color == "grey" } == 4 && all.count { $0.color == "red" } == 1)
  }

  @Test("to other forms are refused by programs with the older models")
  func outgrown() throws {
    try fillPlain()
    let older = try open(Plain.schema)
    _ = try open(Changed.schema)
    older.insert(Plain.Item("old", 9))
    #expect(throws: StoreError.self) { try older.save() }
  }

  @Test("can be previewed, and then nothing is changed")
  func preview() throws {
    let empty = try ModelContainer.migrationPreview(
      for: Plain.schema, configuration: configuration)
    #expect(!empty.isNeeded)
    try fillPlain(["a", "a", "b"])
    let same = try ModelContainer.migrationPreview(
      for: Plain.schema, configuration: configuration)
    #expect(!same.isNeeded)
    let preview = try ModelContainer.migrationPreview(
      for: Changed.schema, configuration: configuration)
    #expect(preview.stages.count == 1 && preview.stages[0].name == "inferred")
    #expect(preview.stages[0].problems.map(\.code) == [.notUnique])
    #expect(preview.stages[0].tables.contains { $0.table == "Item" && $0.rows == 3 })
    let planned = try ModelContainer.migrationPreview(
      for: Changed.schema, migrationPlan: FailingPlan.self, configuration: configuration)
    #expect(planned.stages.map(\.runsCode) == [true])
    #expect(try open(Plain.schema).fetchCount(FetchDescriptor<Plain.Item>()) == 3)
  }

  @Test("aren't made without the permission to write")
  func readOnly() throws {
    try fillPlain()
    var configuration = configuration
    configuration.allowsSave = false
    do {
      _ = try ModelContainer(for: Changed.schema, configurations: [configuration])
      Issue.record("a store was migrated without permission")
    } catch let error as MigrationError {
      #expect(error.code == .readOnly)
    }
    _ = try ModelContainer(for: Plain.schema, configurations: [configuration])
  }
}
