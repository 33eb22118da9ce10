import Foundation
import LocalCopy
import QuakesKit
import Testing

@testable import TestSupport

@Suite("The hourly polls of a real feed, loaded one after the other", .timeLimit(.minutes(20)))
struct HourlyFeedTests {
  /// The number of polls: set OPENSWIFTDATA_TEST_POLLS for up to 496; by default the first 40.
  private static let limit = TestEnvironment.number("OPENSWIFTDATA_TEST_POLLS") ?? 40

  @Test(
    "After each sixth poll the store shows exactly the feed's events",
    .enabled(if: Captures.exist("replay"), Captures.absence("replay")))
  func everySixth() async throws {
    let log = try PollLog(
      Captures.inflated("replay/all_week_hourly_20250504-20250524.ndjson.gz"), limit: Self.limit)
    let folder = try TemporaryFolder()
    let store = try QuakeStore(file: folder.url.appending(path: "quakes.store"))
    var mirror: [String: PollLog.Entry] = [:]
    var (refreshes, gone) = (0, 0)
    for (number, poll) in log.polls.enumerated() {
      mirror.merge(poll.put) { $1 }
      for id in poll.gone { mirror[id] = nil }
      guard number.isMultiple(of: 6) || number == log.polls.count - 1 else { continue }
      let file = try folder.file("all_week.geojson", try Self.document(mirror, poll))
      let feed = try QuakeFeed(FeedSelection(file.path), into: store, rule: .all)
      let report = try await feed.copy.refresh(force: true)
      refreshes += 1
      gone += report.concluded ?? 0
      let since = Date(timeIntervalSince1970: Double(poll.generated) / 1_000 - 7 * 86_400 + 120)
      let shown = try store.page(EventQuery(since: since)).events.map(\.id)
      let listed = mirror.filter { Double($0.value.time) / 1_000 >= since.timeIntervalSince1970 }
      #expect(shown.count == listed.count && Set(shown) == Set(listed.keys))
    }
    let all = try store.page(EventQuery(includesWithdrawn: true)).events
    print(
      "polls: \(refreshes) refreshes, \(gone) marks, \(all.count) events in the store, "
        + "\(all.filter { $0.withdrawn != nil }.count) of them withdrawn")
  }

  private static func document(
    _ entries: [String: PollLog.Entry], _ poll: PollLog.Poll
  ) throws -> String {
    let features: [[String: Any]] = entries.sorted { $0.key < $1.key }.map { id, entry in
      [
        "type": "Feature", "id": id,
        "properties": [
          "mag": entry.magnitude ?? NSNull(), "place": entry.place ?? NSNull(),
          "time": entry.time, "updated": entry.updated, "net": String(id.prefix(2)),
          "code": String(id.dropFirst(2)),
        ] as [String: Any],
        "geometry": ["type": "Point", "coordinates": entry.point.map { $0 ?? NSNull() as Any }],
      ]
    }
    let document: [String: Any] = [
      "type": "FeatureCollection", "features": features,
      "metadata": ["generated": poll.generated, "status": 200, "count": entries.count],
    ]
    let data = try JSONSerialization.data(withJSONObject: document)
    return String(decoding: data, as: UTF8.self)
  }
}
