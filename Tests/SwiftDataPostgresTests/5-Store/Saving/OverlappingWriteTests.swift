import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import SwiftDataPostgres
import Synchronization
import Testing

/// Writes that wait for a row which another transaction has changed and commits then: the history names every property
/// that they change, so that contexts which follow it have the values of the store.
@Suite("Writes that wait for another transaction's row", .server, .timeLimit(.minutes(20)))
struct OverlappingWriteTests {
  private let name = uniqueName("overlap")
  /// The container of the other transaction, and of a context that follows.
  private let container: ModelContainer

  init() throws {
    container = try Self.container(name)
    let context = ModelContext(container)
    let line = Line("line")
    context.insert(line)
    context.insert(Line("other line"))
    let station = Station("a", 1, name: "first")
    station.line = line
    context.insert(station)
    context.insert(Badge(1, "first", "first"))
    try context.save()
  }

  private static func container(_ name: String) throws -> ModelContainer {
    try ModelContainer(
      for: Railway.schema,
      configurations: [PostgresConfiguration(name, url: try PostgresServer.shared.url)])
  }

  /// A write that begins while the row is locked.
  struct Write: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Prepares the write before the row is locked, and returns it.
    let prepare: @Sendable (ModelContainer) throws -> @Sendable () throws -> Void

    static func save(
      _ name: String, _ policy: MergePolicy,
      _ edit: @escaping @Sendable (ModelContext, Station) throws -> Void = { $1.level = 99 }
    ) -> Write {
      Write(testDescription: name) { container in
        nonisolated(unsafe) let context = ModelContext(container)
        context.mergePolicy = policy
        guard let station = try context.fetch(FetchDescriptor<Station>()).first else { return {} }
        try edit(context, station)
        return {
          do { try context.save() } catch is MergeConflictError { context.rollback() }
        }
      }
    }

    static func direct(
      _ name: String, _ run: @escaping @Sendable (ModelContainer) throws -> Void
    ) -> Write {
      Write(testDescription: name) { container in { try run(container) } }
    }
  }

  static let writes: [Write] = [
    .save("a save that overwrites", .overwrite),
    .save("a save that overwrites, with the values that are stored", .overwrite) {
      $1.level = 0.25
      $1.name = "theirs"
    },
    .save("a save by properties", .propertyObjectTrump),
    .save("a save by properties of what the other has changed", .propertyObjectTrump) {
      $1.name = "mine"
    },
    .save("a save that keeps the store's values", .propertyStoreTrump),
    .save("a save that gives up", .rollback),
    .save("a save that refuses conflicts", .error),
    .save("a save that leaves deleted rows", .deletionTrump),
    .save("an overwritten link", .overwrite) { $1.line = nil },
    .save("an inserted model with the same unique value", .propertyObjectTrump) { context, _ in
      context.insert(Station("a", 2, name: "mine"))
    },
    .save("an inserted model with the values before", .propertyObjectTrump) { context, _ in
      context.insert(Station("a", 1, name: "first"))
    },
    .save("a deletion", .propertyObjectTrump) { $0.delete($1) },
    .save("a deletion of the destination", .propertyObjectTrump) { context, station in
      if let line = station.line { context.delete(line) }
    },
    .save("a deletion by a predicate that no longer holds", .propertyObjectTrump) { context, _ in
      try context.delete(model: Station.self, where: #Predicate { $0.name == "first" })
    },
    .direct("a batch") { try $0.batchInsert([Station("a", 2, name: "mine")]) },
    .direct("a batch with the values before") {
      try $0.batchInsert([Station("a", 1, name: "first")])
    },
    .direct("a batch that keeps a property") {
      let batch = try BatchUpsert<Station>($0, keeping: [\.level])
      _ = try batch.upsert(Station("a", 2, name: "mine"))
      _ = try batch.commit()
    },
    .direct("an update of all models") { container in
      try container.batchUpdate(Station.self) {
        $0.set(\.level, to: 99)
        $0.set(\.name, to: "first")
      }
    },
    .direct("an update by a predicate that no longer holds") { container in
      try container.batchUpdate(Station.self, where: #Predicate { $0.name == "first" }) {
        $0.set(\.level, to: 99)
      }
    },
    .direct("an update of unique values") { container in
      try container.batchUpdate(Station.self) {
        $0.set(\.code, to: "b")
        $0.set(\.name, to: "first")
      }
    },
  ]

  /// The number of transactions that wait for a lock and have to do with the tables.
  private func waitingCount(_ connection: PostgresConnection) throws -> Int64? {
    try connection.run(
      """
      SELECT count(*) FROM pg_locks AS w JOIN pg_locks AS r USING (pid)
      WHERE NOT w.granted
        AND r.relation IN ('"\(name)"."Station"'::regclass, '"\(name)"."Badge"'::regclass)
      """
    ).integer(0, 0)
  }

  private func values(_ station: Station?) -> [String: String] {
    guard let station, !station.isDeleted, station.modelContext != nil else { return [:] }
    return [
      "code": station.code, "name": station.name, "rank": "\(station.rank ?? 0)",
      "total": "\(station.total)", "level": "\(station.level)", "isOpen": "\(station.isOpen)",
      "opened": "\(station.opened)", "price": "\(station.price)", "mark": station.mark ?? "-",
      "line": station.line?.name ?? "-",
    ]
  }

  private static func names(_ lines: String) -> FetchDescriptor<Line> {
    FetchDescriptor(predicate: #Predicate { $0.name == lines })
  }

  /// The properties that the history names for updates after the other transaction.
  private func updated(_ history: ArraySlice<DefaultHistoryTransaction>) -> Set<String> {
    Set(
      history.flatMap(\.summary).filter { $0.hasPrefix("update Station ") }
        .flatMap { $0.dropFirst("update Station ".count).split(separator: ",").map(String.init) })
  }

  /// Runs a write on another thread, which waits for a row, until `commit` has released it.
  private func run(
    _ write: @escaping @Sendable () throws -> Void, _ commit: () throws -> Void
  ) throws {
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let group = DispatchGroup()
    group.enter()
    Thread {
      let result = Result { try write() }
      outcome.withLock { $0 = result }
      group.leave()
    }.start()
    let connection = try PostgresServer.shared.connect()
    while try waitingCount(connection) == 0, outcome.withLock({ $0 == nil }) {}
    try commit()
    group.wait()
    try outcome.withLock { try $0?.get() }
  }

  @Test("are followed by others", arguments: writes)
  func following(write: Write) throws {
    let follower = ModelContext(container)
    let followed = try follower.fetch(FetchDescriptor<Station>()).first
    _ = values(followed)
    let prepared = try write.prepare(Self.container(name))
    let other = try container.beginBatch(of: Station.self)
    let theirs = Station("a", 1, name: "theirs")
    theirs.line = try follower.fetch(Self.names("other line")).first
    var between = values(followed)
    between["name"] = "theirs"
    between["line"] = "other line"
    #expect(try other.upsert(theirs).isUpdate)
    try run(prepared) { _ = try other.commit() }
    follower.processPendingChanges()
    let reading = ModelContext(try Self.container(name))
    let stored = values(try reading.fetch(FetchDescriptor<Station>()).first)
    #expect(values(followed) == stored)
    let changed = Set(stored.filter { $0.value != between[$0.key] }.keys)
    let history = try reading.history()
    #expect(history[1].summary == ["update Station name,line"])
    #expect(updated(history.dropFirst(2)) == changed)
  }

  @Test("without relationships overwrite it", arguments: ["first", "second", "theirs"])
  func overwriting(color: String) throws {
    nonisolated(unsafe) let context = ModelContext(try Self.container(name))
    context.mergePolicy = .overwrite
    let badge = try #require(try context.fetch(FetchDescriptor<Badge>()).first)
    badge.color = color == "first" ? "" : color
    badge.color = color
    let other = try container.beginBatch(of: Badge.self)
    #expect(try other.upsert(Badge(1, "theirs", "theirs")).isUpdate)
    try run({ try context.save() }) { _ = try other.commit() }
    let history = try context.history()
    #expect(history[1].summary == ["update Badge name,color"])
    let properties = color == "theirs" ? "name" : "name,color"
    #expect(history.dropFirst(2).map(\.summary) == [["update Badge \(properties)"]])
  }
}

extension WriteOutcome {
  fileprivate var isUpdate: Bool { if case .updated = self { true } else { false } }
}
