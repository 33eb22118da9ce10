import Foundation
import LocalCopy
import Logging
import SwiftData
import Synchronization
import WireFormats

/// Loads the events of a time range from an event service into a store.
///
/// The range is loaded in parts, newest first: people look at recent events first, and what an ended back-fill leaves
/// is one range that ends where the feeds begin. Each part is one request and one transaction, which also records the
/// part as loaded. So a back-fill that ends at any moment has no part twice and none by half, and the next one
/// continues after it. Recorded ranges aren't requested again.
///
/// One program at a time back-fills from a service, with one request at a time.
public struct Backfill: Sendable {
  /// The rules for requests that fail, and the clock.
  struct Pacing: Sendable {
    /// The maximum number of requests for a part.
    var attempts = 6
    var backoff = ExponentialBackoff(baseDelay: .seconds(1), maximumDelay: .seconds(60))
    /// The longest pause that is waited when the service asks for one.
    var longestPause = Duration.seconds(600)
    var now: @Sendable () -> Date = { Date() }
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    var makeRandom: @Sendable () -> any RandomNumberGenerator = { SystemRandomNumberGenerator() }
    var lease = FeedLeases.Timing()
  }

  /// The times that can be asked for, in seconds since 1970: from the year 1 to the year 9999.
  static let times = -62_135_596_800..<253_402_300_800
  /// The length of the first part, in seconds. In 30 days, USGS has about 13,000 events.
  static let firstLength = 30 * 86_400
  /// A part with fewer events is followed by one of twice the length.
  static let few = 5_000

  /// The service that has the events.
  public let service: EventService
  /// The rule for the events that are kept.
  public let rule: MagnitudeRule
  let store: QuakeStore
  private let pacing: Pacing
  private let leases: FeedLeases
  private let logger: Logger

  /// Creates a back-fill; nothing is loaded yet.
  /// - Parameters:
  ///   - service: The service that has the events.
  ///   - store: The store that keeps them.
  ///   - rule: The rule for the events that are kept.
  ///   - logger: The logger for failures of the lease; by default, nobody gets them.
  public init(
    from service: EventService, into store: QuakeStore, rule: MagnitudeRule,
    logger: Logger = QuakeFeed.silence
  ) {
    self.init(from: service, into: store, rule: rule, pacing: Pacing(), logger: logger)
  }

  init(
    from service: EventService, into store: QuakeStore, rule: MagnitudeRule, pacing: Pacing,
    logger: Logger = QuakeFeed.silence
  ) {
    self.service = service
    self.store = store
    self.rule = rule
    self.pacing = pacing
    self.logger = logger
    leases = FeedLeases(
      of: "back-fill from \(service)", in: store.container, timing: pacing.lease, logger: logger)
  }

  /// Loads what isn't loaded yet of a time range.
  /// - Parameters:
  ///   - since: The start, in whole seconds.
  ///   - until: The end, which isn't loaded itself; nil, or a time in the future, stands for now.
  ///   - minimumMagnitude: The least magnitude; nil for all events.
  ///   - force: Whether to load again what is already loaded.
  ///   - onWait: Called when another program is back-filling, and this one waits.
  ///   - onProgress: Called after each part, division and failed request.
  /// - Returns: The report.
  /// - Throws: ``QuakesError`` for a range or magnitude that cannot be asked for, and when the store cannot be read;
  ///   ``BackfillError``, `LocalCopyError` for the store, or `CancellationError`. The parts that were loaded before
  ///   stay.
  public func run(
    since: Date, until: Date? = nil, minimumMagnitude: Double? = nil, force: Bool = false,
    onWait: @Sendable () -> Void = {}, onProgress: @Sendable (BackfillProgress) -> Void = { _ in }
  ) async throws -> BackfillReport {
    let now = pacing.now()
    let range = try Self.range(since, min(until ?? now, now))
    if let minimumMagnitude, !(-10...10).contains(minimumMagnitude) {
      throw QuakesError(
        .invalidArgument, "magnitude \(minimumMagnitude)", reason: "use a number from -10 to 10")
    }
    let wanted = LoadedRange(
      service, range, minimumMagnitude: minimumMagnitude, rule: rule,
      loaded: try Self.second(now))
    return try await alone(onWait) {
      try await fill(wanted, force: force, onProgress)
    }
  }

  // MARK: Ranges

  private static func range(_ since: Date, _ until: Date) throws -> Range<Int> {
    let (start, end) = (try second(since), try second(until))
    guard start < end else {
      throw QuakesError(
        .invalidArgument, EventService.text(start) + "Z",
        reason: "the range of time ends before it starts, at \(EventService.text(end))Z")
    }
    return start..<end
  }

  private static func second(_ date: Date) throws -> Int {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard let second = Int(exactly: seconds), times.contains(second) else {
      throw QuakesError(
        .invalidArgument, "a time", reason: "use times from the year 1 to the year 9999")
    }
    return second
  }

  // MARK: One program at a time

  /// Runs `body` while no other program back-fills from the service.
  private func alone(
    _ onWait: () -> Void, _ body: () async throws -> BackfillReport
  ) async throws -> BackfillReport {
    var observation: FeedLeases.Observation?
    var hasWaited = false
    while true {
      try Task.checkCancellation()
      let holder: String?
      do { holder = try await leases.take(&observation) } catch {
        // The back-fill itself tells what is wrong with the store.
        logger.warning("the lease of the back-fill cannot be used: \(error)")
        return try await body()
      }
      if let holder { return try await leases.hold(as: holder, body) }
      if !hasWaited {
        hasWaited = true
        onWait()
      }
      try await Task.sleep(for: leases.timing.pause)
    }
  }

  // MARK: Parts

  private func fill(
    _ wanted: LoadedRange, force: Bool, _ onProgress: (BackfillProgress) -> Void
  ) async throws -> BackfillReport {
    var report = BackfillReport(range: wanted.seconds)
    let gaps = force ? [wanted.seconds] : try store.loadedRanges().gaps(in: wanted)
    report.missing = gaps.reduce(0) { $0 + $1.count }
    var length = Self.firstLength
    for gap in gaps.reversed() {
      var end = gap.upperBound
      while end > gap.lowerBound {
        try Task.checkCancellation()
        let part = max(gap.lowerBound, end - length)..<end
        do {
          let counts = try await load(part, of: wanted, &report, onProgress)
          end = part.lowerBound
          report.loaded += part.count
          report.parts += 1
          report.counts += counts
          if counts.received < Self.few, part.count == length { length *= 2 }
          onProgress(BackfillProgress(step: .loaded, part: part, report: report))
        } catch let error as BackfillError where error.asksForLess {
          guard part.count > 1 else { throw error }
          length = part.count / 2
          onProgress(BackfillProgress(step: .divided, part: part, report: report))
        }
      }
    }
    return report
  }

  /// Loads a part, in several attempts if necessary.
  private func load(
    _ part: Range<Int>, of wanted: LoadedRange, _ report: inout BackfillReport,
    _ onProgress: (BackfillProgress) -> Void
  ) async throws -> BackfillCounts {
    var random = pacing.makeRandom()
    var failures = 0
    while true {
      report.requests += 1
      let failure: BackfillError
      do { return try await request(part, of: wanted, &report) } catch let error as BackfillError {
        failure = error
      } catch let error as LocalCopyError {
        if error.httpStatus == 204 { return try recordEmpty(part, of: wanted) }
        guard let refusal = BackfillError(error, part) else { throw error }
        failure = refusal
      }
      failures += 1
      guard failure.isTransient, failures < pacing.attempts else { throw failure }
      let asked = failure.retryAfter.map { Duration.seconds(min(max($0, 0), 1e9)) }
      if let asked, asked > pacing.longestPause { throw failure }
      let pause = pacing.backoff.delay(
        afterFailures: failures, requested: asked, using: &random)
      onProgress(
        BackfillProgress(step: .waiting(pause, failure), part: part, report: report))
      try await pacing.sleep(pause)
    }
  }

  private func recordEmpty(
    _ part: Range<Int>, of wanted: LoadedRange
  ) throws -> BackfillCounts {
    try store.recordLoaded(wanted.part(part))
    return BackfillCounts()
  }

  // MARK: Requests

  private func request(
    _ part: Range<Int>, of wanted: LoadedRange, _ report: inout BackfillReport
  ) async throws -> BackfillCounts {
    let range = wanted.part(part)
    let outcome = Mutex(BackfillCounts())
    var configuration = LocalCopyConfiguration()
    configuration.name = "back-fill from \(service)" + rule.nameSuffix
    configuration.accept = { try Self.check($0, part) }
    configuration.http.userAgent = "quakes (OpenSwiftData)"
    configuration.http.totalDeadline = .seconds(300)
    // Attempts are made here, where they also are counted and shown.
    configuration.http.retry.maximumAttempts = 1
    let url = service.query(part, minimumMagnitude: wanted.minimumMagnitude)
    let copy = try LocalCopy(
      of: FeedSource(url), elements: "features", decode: SentFeature.self, into: store.container,
      configuration: configuration
    ) { [store] in
      BackfillReader(store, range) { counts in outcome.withLock { $0 = counts } }
    }
    let refreshed = try await copy.refresh(force: true)
    // A request that repeats the last one of another back-fill may have the answer that nothing is new.
    if refreshed.notModified { return try recordEmpty(part, of: wanted) }
    for detail in refreshed.details.prefix(max(0, 10 - report.details.count)) {
      report.details.append(PlainText.neutralised("\(detail.path): \(detail.reason)"))
    }
    return outcome.withLock { $0 }
  }

  /// Checks the metadata of an answer: some services report failures in a successful response, and a proxy may have cut
  /// off the end.
  private static func check(_ document: FeedDocument, _ part: Range<Int>) throws {
    struct Metadata: Decodable {
      var status: Int?
      var error: String?
      var count: Int?
    }
    let metadata: Metadata?
    do { metadata = try document.decode(Metadata.self, at: "metadata") } catch {
      throw BackfillError(.malformed, part, reason: "the metadata of the answer cannot be read")
    }
    if let status = metadata?.status, status != 200 {
      throw BackfillError(status: status, metadata?.error, part)
    }
    if let count = metadata?.count, count > document.report.received {
      throw BackfillError(
        .truncated, part, reason: "the answer has \(document.report.received) of \(count) events")
    }
  }
}

extension LoadedRange {
  /// Returns a part of the range.
  fileprivate func part(_ seconds: Range<Int>) -> LoadedRange {
    var part = self
    part.seconds = seconds
    return part
  }
}
