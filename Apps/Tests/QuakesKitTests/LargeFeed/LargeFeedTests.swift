import Foundation
import QuakesKit
import SwiftData
import SwiftDataExtras
import Testing

@testable import TestSupport

@MainActor
@Suite("A large feed, imported in the background", .timeLimit(.minutes(20)), .serialized)
struct LargeFeedTests {
  /// Runs the steps of the sample: import, notification, history after the last token, merge, list.
  private func flow(_ first: [Event], _ second: [Event]) async throws -> String {
    let folder = try TemporaryFolder()
    let library = try FeedLibrary(file: folder.url.appending(path: "quakes.store"))
    #expect(library.list.results.isEmpty)

    // First import: everything is new.
    let (summary, isInBackground) = try await library.importInBackground(first)
    let old = Dictionary(first.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    #expect(isInBackground)
    #expect(summary.inserted == old.count)
    await library.notified()
    let history = try library.fetchHistory()
    #expect(history.map(\.author) == ["import"])
    #expect(history.first?.changes.count == old.count)
    try library.merge(history)
    #expect(try library.fetchHistory().isEmpty)
    await library.wait { $0.results.count == old.count }
    try expect(library.list, shows: old)

    // The same import again: nothing changes, and no observer is notified.
    let again = try await library.importInBackground(first)
    let repeated = first.count - old.count
    #expect(again.summary.inserted == 0 && again.summary.updated <= 2 * repeated)
    if repeated == 0 { #expect(try library.fetchHistory().isEmpty) }
    try library.merge(try library.fetchHistory())

    // A later response: exactly the differences arrive.
    let new = Dictionary(second.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let revised = new.filter { id, feature in old[id].map { $0 != feature } ?? false }
    let bystander = ModelContext(library.container)
    bystander.mergesChangesAutomatically = false
    let known = try bystander.fetch(FetchDescriptor<Quake>())
    let registered = Dictionary(uniqueKeysWithValues: known.map { ($0.eventID, $0) })
    let (changes, _) = try await library.importInBackground(second)
    let added = Set(new.keys).subtracting(old.keys)
    #expect(changes.inserted == added.count && changes.updated == revised.count)
    let news = try library.fetchHistory()
    try compare(news, added: added, revised: revised, old, on: ModelContext(library.container))
    // Models are updated when changes are merged into their context, and not before.
    for (id, _) in revised { #expect(registered[id]?.snapshot.withoutModel == old[id]) }
    for transaction in news { try bystander.mergeChanges(from: transaction) }
    for (id, event) in revised { #expect(registered[id]?.snapshot.withoutModel == event) }
    try library.merge(news)
    let all = old.merging(new) { $1 }
    await library.wait { $0.results.count == all.count }
    try expect(library.list, shows: all)
    return
      "\(old.count) events, then \(added.count) new and \(revised.count) revised of \(new.count)"
  }

  /// Checks that the history contains the differences, and nothing else.
  private func compare(
    _ history: [DefaultHistoryTransaction], added: Set<String>, revised: [String: Event],
    _ old: [String: Event], on taskContext: ModelContext
  ) throws {
    var inserted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier: [AnyKeyPath]] = [:]
    for change in history.flatMap(\.changes) {
      switch change {
      case .insert(let insert): inserted.append(insert.changedPersistentIdentifier)
      case .update(let update):
        let attributes = (update as? DefaultHistoryUpdate<Quake>)?.updatedAttributes ?? []
        updated[update.changedPersistentIdentifier] = attributes.map { $0 as AnyKeyPath }
      case .delete: Issue.record("nothing was deleted")
      }
    }
    func quakes(_ identifiers: [PersistentIdentifier]) throws -> [Quake] {
      try taskContext.fetch(
        FetchDescriptor<Quake>(
          predicate: #Predicate { identifiers.contains($0.persistentModelID) }))
    }
    #expect(Set(try quakes(inserted).map(\.eventID)) == added)
    let changed = try quakes(Array(updated.keys))
    #expect(Set(changed.map(\.eventID)) == Set(revised.keys))
    for quake in changed {
      guard let before = old[quake.eventID] else { continue }
      let differing = Self.differences(before, quake.snapshot.withoutModel)
      #expect(updated[quake.persistentModelID]?.count == differing)
    }
  }

  /// Returns the number of properties in which two states of an event differ.
  private static func differences(_ one: Event, _ other: Event) -> Int {
    let pairs = zip(Mirror(reflecting: one).children, Mirror(reflecting: other).children)
    // Texts of dates have whole seconds.
    return pairs.count { $0.value as? AnyHashable != $1.value as? AnyHashable }
  }

  private func expect(
    _ list: ResultsObserver<Quake, Never>, shows features: [String: Event]
  ) throws {
    #expect(list.results.count == features.count)
    var last = Date.distantFuture
    for quake in list.results {
      #expect(quake.time <= last)
      last = quake.time
      #expect(quake.snapshot.withoutModel == features[quake.eventID])
    }
  }

  @Test("reaches the list by history and notifications, made up")
  func synthetic() async throws {
    func features(_ numbers: Range<Int>, _ magnitude: (Int) -> String) throws -> [Event] {
      struct Collection: Decodable { var features: [FeedEvent] }
      let texts = numbers.map {
        Fixture.feature("nc\($0)", magnitude: magnitude($0), time: 1_000 * ($0 * 7_919 % 1_009))
      }
      return try JSONDecoder().decode(
        Collection.self, from: Data(Fixture.feed(texts).utf8)
      ).features.map(\.event)
    }
    _ = try await flow(
      try features(0..<400) { "\($0 % 7)" },
      try features(40..<430) { $0 % 50 == 0 ? "9" : "\($0 % 7)" })
  }

  @Test(
    "reaches the list by history and notifications: months as they were, 24 hours apart",
    .enabled(if: Captures.exist("large"), Captures.absence("large")))
  func pair() async throws {
    let figure = try await flow(
      try Captures.features("large/all_month_20200306T180920Z.from_csv.geojson.gz"),
      try Captures.features("large/all_month_20200307T180720Z.from_csv.geojson.gz"))
    print("large feed: \(figure)")
  }

  @Test(
    "reaches the list by history and notifications: a month of 19,816 events",
    .enabled(if: Captures.exist("large"), Captures.absence("large")))
  func month() async throws {
    let features = try Captures.features("large/all_month_20200611T153421Z.from_csv.geojson.gz")
    #expect(features.count == 19_816)
    let figure = try await flow(features, features)
    print("large feed: \(figure)")
  }
}
