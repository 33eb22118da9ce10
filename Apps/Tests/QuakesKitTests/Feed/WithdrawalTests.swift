import Foundation
import LocalCopy
import QuakesKit
import SwiftData
import Testing

@testable import TestSupport

@Suite("Withdrawn and renamed earthquakes", .timeLimit(.minutes(20)))
struct WithdrawalTests {
  fileprivate static let hour = 3_600_000
  /// The time of the first document, in milliseconds since 1970.
  fileprivate static let start = 1_750_000_000_000

  private static func feature(
    _ id: String, hoursAgo: Int = 1, magnitude: Double = 2, ids: String? = nil,
    status: String = "automatic", significance: Int = 10
  ) -> String {
    let ids = ids.map { "\"\($0)\"" } ?? "null"
    return """
      {"type":"Feature","properties":{"mag":\(magnitude),"place":"near","time":\(start - hoursAgo * hour),
      "updated":\(start),"ids":\(ids),"status":"\(status)","sig":\(significance),"net":"\(id.prefix(2))",
      "code":"\(id.dropFirst(2))"},"geometry":{"type":"Point","coordinates":[1,2,3]},"id":"\(id)"}
      """
  }

  @Test(
    "An event missing from a feed that covers it is withdrawn, kept, and restored on its return",
    arguments: StoreForm.shared)
  func goneAndBack(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Self.feature("nc1"), Self.feature("nc2")])
    let second = try await place.load([Self.feature("nc1")], after: 1)
    #expect(second.concluded == 1 && second.unchanged == 1)
    #expect(try place.ids() == ["nc1"] && place.store.count() == 1)
    #expect(try place.ids(withdrawn: true) == ["nc1", "nc2"])
    let gone = try #require(try place.store.event(id: "nc2"))
    #expect(gone.withdrawn == Date(timeIntervalSince1970: Double(Self.start + Self.hour) / 1_000))
    // The same document again changes nothing, not even the time of the withdrawal.
    #expect(try await place.load([Self.feature("nc1")], after: 2).concluded == 0)
    #expect(try place.store.event(id: "nc2") == gone)
    let back = try await place.load([Self.feature("nc1"), Self.feature("nc2")], after: 3)
    #expect(back.updated == 1 && back.concluded == 0)
    #expect(try place.ids() == ["nc1", "nc2"] && place.store.event(id: "nc2")?.withdrawn == nil)
  }

  @Test(
    "An event with the status deleted is withdrawn",
    arguments: StoreForm.shared)
  func deletedStatus(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Self.feature("nc1"), Self.feature("nc2")])
    try await place.load([Self.feature("nc1"), Self.feature("nc2", status: "DELETED")])
    #expect(try place.ids() == ["nc1"])
    try await place.load([Self.feature("nc1"), Self.feature("nc2", status: "reviewed")])
    #expect(try place.ids() == ["nc1", "nc2"])
  }

  @Test(
    "An event under another identifier is one event, found by both, also when it is renamed back",
    arguments: StoreForm.shared)
  func renamed(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Self.feature("nc1", ids: ",nc1,"), Self.feature("nc2")])
    let report = try await place.load(
      [Self.feature("us9", ids: ",us9,nc1,,at3,"), Self.feature("nc2")], after: 1)
    #expect(report.inserted == 1 && report.concluded == 1)
    #expect(try place.ids() == ["us9", "nc2"] && place.ids(withdrawn: true) == ["us9", "nc2"])
    for id in ["us9", "nc1", "at3"] { #expect(try place.store.event(id: id)?.id == "us9") }
    #expect(try place.store.event(id: "us9")?.otherIdentifiers == ["nc1", "at3"])
    #expect(try place.store.event(id: "at4") == nil && place.store.event(id: ",") == nil)
    try await place.load([Self.feature("nc1", ids: ",us9,nc1,"), Self.feature("nc2")], after: 2)
    #expect(try place.ids() == ["nc1", "nc2"])
    #expect(try place.store.event(id: "us9")?.id == "nc1")
    // A feed that doesn't cover these events, such as one of another window, still reports the
    // identifiers.
    try await place.load(
      [Self.feature("ak7", ids: ",nc1,ak7,")], after: 3, feed: "significant_hour")
    #expect(try place.ids() == ["ak7", "nc2"] && place.store.event(id: "us9")?.id == "ak7")
  }

  @Test(
    "Events listed under both identifiers stay as in the feed",
    arguments: StoreForm.shared)
  func listedTwice(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    for hours in 0..<2 {
      try await place.load(
        [Self.feature("nc1", ids: ",nc1,us9,"), Self.feature("us9", ids: ",nc1,us9,")],
        after: hours)
      #expect(try place.ids() == ["nc1", "us9"])
    }
  }

  @Test(
    "A document doesn't affect events that it doesn't cover",
    arguments: [
      // The feed's name, the event's properties, and whether the feed covers it.
      ("all_week", 100, 2.0, 10, true), ("all_day", 23, 2.0, 10, true),
      ("all_day", 25, 2.0, 10, false), ("all_hour", 2, 2.0, 10, false),
      ("all_month", 719, 2.0, 10, true), ("all_month", 721, 2.0, 10, false),
      ("2.5_week", 1, 2.45, 10, true), ("2.5_week", 1, 2.44, 10, false),
      ("significant_week", 1, 7.0, 600, true), ("significant_week", 1, 7.0, 599, false),
      ("query", 1, 2.0, 10, false), ("all_week", 24 * 7, 2.0, 10, false),
      ("all_week", -1, 2, 1, false),
    ])
  func coverage(_ feed: String, _ hoursAgo: Int, magnitude: Double, significance: Int, covers: Bool)
    async throws
  {
    let place = try FeedPlace(.file)
    try await place.load(
      [
        Self.feature(
          "nc2", hoursAgo: hoursAgo, magnitude: magnitude, significance: significance)
      ], feed: "query")
    try await place.load([Self.feature("nc1", hoursAgo: 0)], feed: feed)
    #expect(try place.ids().contains("nc2") != covers)
  }

  @Test(
    "A document that is not whole withdraws nothing",
    arguments: StoreForm.shared)
  func incomplete(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    let all = (0..<5).map { Self.feature("nc\($0)") }
    try await place.load(all)
    try await place.load(Array(all.prefix(3)), after: 1, count: 5)
    try await place.load([], after: 1)
    // It is unknown which event this feature was.
    let skipped = try await place.load(Array(all.prefix(3)) + [#"{"id":7}"#], after: 1)
    #expect(skipped.skipped == 1 && skipped.concluded == 0)
    #expect(try place.ids().count == 5)
    // The identifier of this one is known: the feed lists `nc3`, although it is unusable, but not
    // `nc4`.
    let broken = Self.feature("nc3").replacingOccurrences(of: "[1,2,3]", with: "[181,2,3]")
    try await place.load(Array(all.prefix(3)) + [broken], after: 1)
    #expect(try place.ids() == ["nc0", "nc1", "nc2", "nc3"])
  }

  @Test(
    "An event that is revised to excluded values has its present values",
    arguments: StoreForm.shared)
  func revisedBelow(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Self.feature("nc1", magnitude: 0.3), Self.feature("nc2")])
    let report = try await place.load([
      Self.feature("nc1", magnitude: -0.4), Self.feature("nc2"),
      Self.feature("nc3", magnitude: -1),
    ])
    #expect(report.filtered == 2 && report.concluded == 1)
    #expect(try place.store.event(id: "nc1")?.magnitude == -0.4)
    #expect(try place.ids() == ["nc1", "nc2"])
  }

  @Test(
    "A replaced event is found while its replacement isn't stored, which the next document mends",
    arguments: StoreForm.shared)
  func missingReplacement(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Self.feature("nc1", magnitude: 0.3), Self.feature("nc2")])
    // As earlier versions left it.
    let context = ModelContext(place.store.container)
    let found = try context.fetch(
      FetchDescriptor<Quake>(predicate: #Predicate { $0.eventID == "nc1" }))
    let quake = try #require(found.first)
    (quake.withdrawn, quake.replacement) = (quake.updated, "us9")
    try context.save()
    #expect(try place.store.event(id: "nc1")?.id == "nc1")
    try await place.load(
      [Self.feature("us9", magnitude: -0.4, ids: ",us9,nc1,"), Self.feature("nc2")], after: 1)
    #expect(try place.store.event(id: "nc1")?.id == "us9")
    #expect(try place.ids() == ["us9", "nc2"])
  }

  @Test(
    "A refusal of the document leaves every mark as it was",
    arguments: StoreForm.shared)
  func refused(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Self.feature("nc1"), Self.feature("nc2")])
    let file = try place.folder.file(
      "feed.json",
      """
      {"metadata":{"generated":\(Self.start),"url":"https://x/all_week.geojson","status":200},
      "features":[\(Self.feature("nc1"))]}
      """)
    struct Refusal: Error {}
    let feed = try QuakeFeed(FeedSelection(file.path), into: place.store, rule: .all) {
      $0.accept = { _ in throw Refusal() }
    }
    await #expect(throws: Refusal.self) { try await feed.copy.refresh(force: true) }
    #expect(try place.ids() == ["nc1", "nc2"])
  }

  @Test(
    "Every filter and order leaves withdrawn events out, and gives them on wish",
    arguments: StoreForm.shared)
  func queries(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load(["nc1", "nc2", "nc3"].map { Self.feature($0) })
    try await place.load([Self.feature("nc1"), Self.feature("us3", ids: ",us3,nc3,")], after: 1)
    let since = Date(timeIntervalSince1970: 0)
    for (magnitude, since, search) in [
      (nil, nil, nil), (1, nil, nil), (nil, since, nil), (nil, nil, "NEAR"), (1, since, "near"),
    ] as [(Double?, Date?, String?)] {
      for sort in EventQuery.Sort.allCases {
        var query = EventQuery(
          minimumMagnitude: magnitude, since: since,
          search: try search.map { try EventSearch($0) }, sort: sort)
        #expect(Set(try place.store.page(query).events.map(\.id)) == ["nc1", "us3"])
        #expect(try place.store.count(query) == 2)
        query.includesWithdrawn = true
        let all = try place.store.page(query).events
        #expect(Set(all.map(\.id)) == ["nc1", "nc2", "us3"])
        query.includesWithdrawn = false
        #expect(all.filter(query.includes).count == 2)
      }
    }
  }

  @Test(
    "Followers of the store get a withdrawal as a change of the event",
    arguments: StoreForm.shared)
  func followed(_ form: StoreForm) async throws {
    let place = try FeedPlace(form)
    try await place.load([Self.feature("nc1"), Self.feature("nc2")])
    let follower = try StoreFollower(place.store)
    try await place.load([Self.feature("nc1")], after: 1)
    let (told, tell) = AsyncStream.makeStream(of: EventChanges.self)
    let task = Task { try await follower.run { tell.yield($0) } }
    for await changes in told {
      #expect(changes.updated.map(\.id) == ["nc2"] && changes.deleted.isEmpty)
      #expect(changes.updated.first?.withdrawn != nil)
      break
    }
    task.cancel()
  }

  @Test(
    "Real documents 54 hours apart: missing events are withdrawn, renamed ones are merged",
    .enabled(if: Captures.exist("feeds"), Captures.absence("feeds")))
  func twoCaptures() async throws {
    let store = try QuakeStore(file: nil)
    for name in ["20210720T142355Z", "20210722T203944Z"] {
      let file = Captures.file("feeds/all_week_\(name).geojson")
      _ = try await QuakeFeed(FeedSelection(file.path), into: store, rule: .all).copy.refresh()
    }
    struct Document: Decodable {
      struct Metadata: Decodable { var generated: Double }
      var metadata: Metadata
      var features: [FeedEvent]
    }
    let data = try Data(contentsOf: Captures.file("feeds/all_week_20210722T203944Z.geojson"))
    let feed = try JSONDecoder().decode(Document.self, from: data)
    let since = Date(timeIntervalSince1970: feed.metadata.generated / 1_000 - 7 * 86_400 + 120)
    let stored = try store.page(EventQuery(since: since)).events.map(\.id)
    let events = feed.features.map(\.event)
    let listed = events.filter { $0.time >= since }.map(\.id)
    #expect(Set(stored) == Set(listed) && stored.count == listed.count)
    let all = try store.page(EventQuery(since: since, includesWithdrawn: true)).events
    #expect(all.filter { $0.withdrawn != nil }.count == 4)
    let aliases = Set(events.flatMap(\.otherIdentifiers))
    #expect(aliases.isDisjoint(with: stored))
  }
}

extension FeedPlace {
  /// Loads a document that was made `hours` after the first one.
  @discardableResult
  fileprivate func load(
    _ features: [String], after hours: Int = 0, feed: String = "all_week", count: Int? = nil,
    rule: MagnitudeRule = .aboveZero
  ) async throws -> RefreshReport {
    try await load(
      features, generated: WithdrawalTests.start + hours * WithdrawalTests.hour, feed: feed,
      count: count, rule: rule)
  }

  fileprivate func ids(withdrawn: Bool = false) throws -> Set<String> {
    Set(try store.page(EventQuery(includesWithdrawn: withdrawn)).events.map(\.id))
  }
}
