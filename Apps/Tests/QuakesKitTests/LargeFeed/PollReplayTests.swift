import Foundation
import QuakesKit
import SwiftData
import SwiftDataExtras
import Testing

@testable import TestSupport

@Suite("Polls of a feed, replayed", .timeLimit(.minutes(20)))
struct PollReplayTests {
  /// The maximum size of the store's history, in bytes.
  private static let bound: Int64 = 32 * 1024
  /// The number of polls: set OPENSWIFTDATA_TEST_POLLS for up to 496; by default the first 40.
  private static let limit = TestEnvironment.number("OPENSWIFTDATA_TEST_POLLS") ?? 40

  @Test(
    "Each poll's transactions match the log, and the history stays within its bound",
    .enabled(if: Captures.exist("replay"), Captures.absence("replay")))
  func hourly() throws {
    let log = try PollLog(
      Captures.inflated("replay/all_week_hourly_20250504-20250524.ndjson.gz"), limit: Self.limit)
    let folder = try TemporaryFolder()
    var configuration = ModelConfiguration(url: folder.url.appending(path: "quakes.store"))
    configuration.historyRetention = HistoryRetention(maximumAge: nil, maximumSize: Self.bound)
    let container = try ModelContainer(for: Quake.self, configurations: configuration)
    var replay = Replay(container)
    for poll in log.polls { try replay.apply(poll, bound: Self.bound) }
    #expect(log.polls.count == min(Self.limit, 496))
    let changes = replay.inserted + replay.updated + replay.deleted
    print(
      "polls: \(log.polls.count), \(replay.inserted) inserted, \(replay.updated) updated,"
        + " \(replay.deleted) deleted, at most \(replay.largest) bytes of history,"
        + " \(replay.written / Int64(max(1, changes))) a change")
  }

  private struct Replay {
    let container: ModelContainer
    var mirror: [String: Event] = [:]
    var names: [PersistentIdentifier: String] = [:]
    var token: DefaultHistoryToken?
    var inserted = 0
    var updated = 0
    var deleted = 0
    var largest: Int64 = 0
    var written: Int64 = 0

    init(_ container: ModelContainer) { self.container = container }

    mutating func apply(_ poll: PollLog.Poll, bound: Int64) throws {
      let put = try poll.put.map { try Event($0.key, $0.value) }
      let new = Set(put.map(\.id)).subtracting(mirror.keys)
      let changed = Set(put.filter { mirror[$0.id] != nil && mirror[$0.id] != $0 }.map(\.id))
      let gone = Set(poll.gone).intersection(mirror.keys)
      try container.batchInsert(put.lazy.map { Quake($0) }, author: "import")
      let ids = poll.gone
      try container.batchDelete(
        Quake.self, where: #Predicate { ids.contains($0.eventID) }, author: "import")
      for feature in put { mirror[feature.id] = feature }
      for id in gone { mirror[id] = nil }
      let context = ModelContext(container)
      #expect(try context.fetchCount(FetchDescriptor<Quake>()) == poll.count)
      #expect(mirror.count == poll.count)
      try compare(context, new, changed, gone)
      let size = try size(context)
      largest = max(largest, size.kept)
      written = size.written
      // The newest transaction is kept, however large it is.
      #expect(size.kept <= max(bound, size.newest))
    }

    /// Reads the history after the last token, and compares.
    private mutating func compare(
      _ context: ModelContext, _ new: Set<String>, _ changed: Set<String>, _ gone: Set<String>
    ) throws {
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      if let token { descriptor.predicate = #Predicate { $0.token > token } }
      let history = try context.fetchHistory(descriptor)
      #expect(history.allSatisfy { $0.author == "import" })
      var seen = (
        inserted: [PersistentIdentifier](), updated: Set<String>(), deleted: Set<String>()
      )
      for change in history.flatMap(\.changes) {
        let identifier = change.changedPersistentIdentifier
        switch change {
        case .insert: seen.inserted.append(identifier)
        case .update: seen.updated.insert(names[identifier] ?? "unknown")
        case .delete: seen.deleted.insert(names.removeValue(forKey: identifier) ?? "unknown")
        }
      }
      let identifiers = seen.inserted
      let models = try context.fetch(
        FetchDescriptor<Quake>(
          predicate: #Predicate { identifiers.contains($0.persistentModelID) }))
      for model in models { names[model.persistentModelID] = model.eventID }
      #expect(Set(models.map(\.eventID)) == new)
      #expect(seen.updated == changed)
      #expect(seen.deleted == gone)
      inserted += new.count
      updated += changed.count
      deleted += gone.count
      token = history.last?.token ?? token
    }

    private func size(
      _ context: ModelContext
    ) throws -> (kept: Int64, newest: Int64, written: Int64) {
      let rows = try context.rows(
        sql: """
          SELECT (SELECT sum(length(changes)) FROM _history_change)
            + 64 * (SELECT count(*) FROM _history_transaction),
            (SELECT sum(length(changes)) + 64 FROM _history_change
              WHERE number = (SELECT max(number) FROM _history_transaction)),
            (SELECT max(total) FROM _history_transaction)
          """, as: (Int64, Int64, Int64).self)
      let row = try #require(rows.first)
      return (row.0, row.1, row.2)
    }
  }
}
