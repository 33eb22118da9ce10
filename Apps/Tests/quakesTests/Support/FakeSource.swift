import Foundation

@testable import QuakesKit
@testable import quakes

/// A source with events in memory and a feed that the test controls.
actor FakeSource: QuakeSource {
  struct Broken: Error {}

  private var events: [Event]
  private var current: FeedStatus
  private(set) var refreshes = 0
  private(set) var stops = 0
  private(set) var queries: [EventQuery] = []
  /// Whether each request for details allowed to load them.
  private(set) var detailRequests: [Bool] = []
  private var detailsError: DetailsError?
  private var isBroken = false
  private let stream: AsyncStream<FeedUpdate>
  private let continuation: AsyncStream<FeedUpdate>.Continuation

  init(_ events: [Event] = []) {
    self.events = events
    current = FeedStatus(
      state: events.isEmpty ? .empty : .fresh, lastUpdated: 1_000, feedName: "all_day",
      feedURL: "http://127.0.0.1/all_day.geojson", every: 300, maximumAge: 900,
      total: events.count)
    (stream, continuation) = AsyncStream.makeStream(of: FeedUpdate.self)
  }

  static func events(_ count: Int) -> [Event] {
    (0..<count).map { index in
      let start = Date(timeIntervalSince1970: 1_750_000_000)
      return Event(
        eventID: "nc\(index)", magnitude: index % 7 == 0 ? nil : Double(index % 70) / 10,
        magnitudeType: "ml", place: "\(index) km N of <b>Tōwn</b>, \"CA\"",
        time: start.addingTimeInterval(Double(-index) * 60), updated: start, longitude: -122.5,
        latitude: 38.25, depth: 7.5, type: "earthquake", status: "reviewed", tsunami: false,
        significance: index, code: "\(index)", net: "nc")
    }
  }

  func page(_ query: EventQuery) async throws -> EventPage {
    let found = try matching(query)
    let part = found.dropFirst(query.offset).prefix(query.limit ?? .max)
    return EventPage(events: Array(part), total: found.count)
  }

  func cursor(_ query: EventQuery) async throws -> EventCursor {
    let found = try await page(query).events
    return EventCursor(query, rows: found.count) { Array(found[$0]) }
  }

  func statistics(_ query: EventQuery) async throws -> EventStatistics {
    EventStatistics(try matching(query))
  }

  private func matching(_ query: EventQuery) throws -> [Event] {
    if isBroken { throw Broken() }
    queries.append(query)
    return events.filter { event in
      query.minimumMagnitude.map { minimum in (event.magnitude ?? -99) >= minimum } ?? true
    }
  }

  func event(id: String) async throws -> Event? { events.first { $0.id == id } }

  func revisions(of event: Event) async throws -> [Revision] { [] }

  func details(of event: Event, loads: Bool) async throws -> DetailsLoader.Answer {
    detailRequests.append(loads)
    if let detailsError { throw detailsError }
    let kept = KeptDetails(
      event: event.id, address: "https://a.example/\(event.id)", loaded: event.updated,
      eventUpdated: event.updated, details: EventDetails())
    return DetailsLoader.Answer(kept: kept, isCurrent: true, failure: nil)
  }

  /// Sets the failure of the details.
  func failDetails(_ error: DetailsError) { detailsError = error }

  func status() async throws -> FeedStatus { current }

  func refresh() async { refreshes += 1 }

  func stop() async { stops += 1 }

  func startBackfill(_ request: BackfillRequest) async throws(BackfillRefusal) {
    if current.backfill?.state == .running { throw .running }
    current.backfill = BackfillStatus(request, state: .running)
  }

  func stopBackfill() async { current.backfill?.state = .stopped }

  func updates() async -> AsyncStream<FeedUpdate> { stream }

  func breakDown() { isBroken = true }

  func change(_ status: FeedStatus) {
    current = status
    continuation.yield(.status)
  }

  func announce(_ changes: EventChanges) { continuation.yield(.changes(changes)) }
}
