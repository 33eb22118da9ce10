import AsyncHTTPClient
import Foundation
import Logging

/// One refresh of a copy: attempts, each of which reads the source and imports it as a whole,
/// within one deadline.
struct FeedRefresh<Element: Decodable & Sendable, Store: ImportStore>: Sendable {
  let source: FeedSource
  let name: String
  let http: HTTPConfiguration
  let plan: ImportPlan<Element, Store.Model>
  let store: Store
  let clock: any CopyClock
  let makeRandom: @Sendable () -> any RandomNumberGenerator
  let logger: Logger

  /// Refreshes the copy.
  /// - Parameters:
  ///   - previous: what is known of the copy.
  ///   - stored: what the store remembered of it when that was read.
  ///   - force: ask also when the server said that the copy is still fresh.
  ///   - note: told about progress.
  /// - Returns: what is now known of the copy; its report tells what this refresh did, or what
  ///   that of another process did which has overtaken it.
  /// - Throws: ``LocalCopyError``, `CancellationError`, or what `accept` throws. Nothing has
  ///   changed then.
  func run(
    previous: CopyRecord?, stored: Data?, force: Bool,
    note: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshedCopy {
    let start = Start(date: clock.now, uptime: clock.uptime, stored: stored)
    let previous = previous.flatMap { isOfThisFeed($0) ? $0 : nil }
    if !force, var record = previous, let end = record.freshUntil,
      (record.lastGood..<max(end, record.lastGood)).contains(start.date)
    {
      // The server vouched for the copy until then.
      record.lastGood = start.date
      record.report = report(start, attempts: 0)
      record.report.notModified = true
      record.report.validators = record.validators
      return RefreshedCopy(record: record, stored: stored)
    }
    do {
      switch source {
      case .file(let url):
        return try await withDeadline(http.totalDeadline, clock) {
          try await read(file: url, start, note)
        }
      case .http(let url):
        return try await withClient { client in
          try await withDeadline(http.totalDeadline, clock) {
            try await attempts(url, client, previous, start, note)
          }
        }
      }
    } catch let error as LocalCopyError {
      throw error.naming(source.description)
    } catch let failure as AttemptFailure {
      throw failure.error.naming(source.description)
    }
  }

  struct Start: Sendable {
    let date: Date
    let uptime: Duration
    /// What the store remembered then.
    let stored: Data?
  }

  private func report(_ start: Start, attempts: Int) -> RefreshReport {
    var report = RefreshReport()
    report.source = source.description
    report.startedAt = start.date
    report.attempts = attempts
    return report
  }

  private func withClient<Result: Sendable>(
    _ body: (HTTPClient) async throws -> Result
  ) async throws -> Result {
    let client = HTTPTransport.makeClient(http)
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await body(client)) } catch { outcome = .failure(error) }
    do {
      try await client.shutdown()
    } catch {
      logger.warning("the HTTP client did not shut down cleanly", metadata: ["error": "\(error)"])
    }
    return try outcome.get()
  }

  // MARK: Attempts

  private func attempts(
    _ url: URL, _ client: HTTPClient, _ previous: CopyRecord?, _ start: Start,
    _ note: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshedCopy {
    var machine = RetryMachine(http.retry, deadline: http.totalDeadline)
    var random = makeRandom()
    let transport = HTTPTransport(
      client: client, configuration: http, clock: clock, logger: logger)
    while true {
      do {
        let elements = ElementImport<Element, Store>(plan, into: store, note: note)
        let validators = previous?.validators ?? FeedValidators()
        let answer = try await transport.fetch(url, validators: validators, into: elements.sink)
        return try conclude(elements, answer, previous, start, attempts: machine.failures + 1)
      } catch {
        guard let failure = AttemptFailure(error, isRemote: true) else { throw error }
        let elapsed = clock.uptime - start.uptime
        let action = machine.failed(failure.kind, elapsed: elapsed, using: &random)
        guard case .retry(let pause) = action else { throw failure.error }
        logger.info(
          "trying again", metadata: ["error": "\(failure.error)", "pause": "\(pause)"])
        try await clock.sleep(for: pause)
      }
    }
  }

  private func read(
    file: URL, _ start: Start, _ note: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshedCopy {
    let elements = ElementImport<Element, Store>(plan, into: store, note: note)
    let answer = try await FileTransport(configuration: http, clock: clock)
      .read(file, into: elements.sink)
    return try conclude(elements, answer, nil, start, attempts: 1)
  }

  /// Commits what has arrived, together with what is now known of the copy.
  private func conclude(
    _ elements: ElementImport<Element, Store>, _ answer: FeedAnswer, _ previous: CopyRecord?,
    _ start: Start, attempts: Int
  ) throws -> RefreshedCopy {
    var report = report(start, attempts: attempts)
    if !answer.notModified {
      try elements.finish()
      report = elements.report
      report.source = source.description
      report.startedAt = start.date
      report.attempts = attempts
    }
    report.notModified = answer.notModified
    report.bytesReceived = answer.wireBytes
    report.bytesDecoded = answer.decodedBytes
    report.duration = (clock.uptime - start.uptime).inSeconds
    var record = CopyRecord(source: source.identity, lastGood: answer.received, report: report)
    if let cache = answer.cache, cache.mayStore {
      let old = answer.notModified ? previous?.validators : nil
      record.validators.entityTag = answer.validators.entityTag ?? old?.entityTag
      record.validators.lastModified = answer.validators.lastModified ?? old?.lastModified
      record.freshUntil = answer.received.addingTimeInterval(cache.freshFor)
    }
    record.report.validators = record.validators
    let data = try record.data()
    var overtaking: RefreshedCopy?
    try elements.commit(forKey: CopyRecord.key(name), insteadOf: formerKey) {
      overtaking = try overtakingCopy(answer, start)
      return overtaking == nil ? data : nil
    }
    if let overtaking {
      logger.info("another refresh of the copy has overtaken this one")
      return overtaking
    }
    // What readers of the report want is the whole time, the commit included.
    record.report.duration = (clock.uptime - start.uptime).inSeconds
    return RefreshedCopy(record: record, stored: data)
  }

  /// What another process has committed while this refresh ran, when that is to stay: the answer
  /// to this one is older, or says only that the copy that was asked about is as good as the feed.
  private func overtakingCopy(_ answer: FeedAnswer, _ start: Start) throws -> RefreshedCopy? {
    let stored = try storedData()
    guard stored != start.stored, let stored, let record = record(in: stored) else { return nil }
    // One from the future was made before the clock was set back; its age says nothing.
    let isNewer = record.lastGood > answer.received && record.lastGood <= clock.now
    return answer.notModified || isNewer ? RefreshedCopy(record: record, stored: stored) : nil
  }
}

/// What is known of a copy after a refresh.
struct RefreshedCopy: Sendable {
  var record: CopyRecord
  /// What the store remembers.
  var stored: Data?
}
