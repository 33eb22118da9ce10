import CurlClient
import Foundation
import SwiftDataCore
import WireFormats

/// One refresh of a copy: attempts, each of which reads and imports the complete source, within one
/// deadline.
struct FeedRefresh<Element: Decodable & Sendable, Store: ImportStore>: Sendable {
  let source: FeedSource
  let name: String
  let http: HTTPConfiguration
  let plan: ImportPlan<Element, Store.Model>
  let store: Store
  let clock: any TimeSource
  let makeRandom: @Sendable () -> any RandomNumberGenerator
  /// The revision of the program's mapping, and the sorted names of the model's properties, as far as they are known.
  let form: (revision: Int, properties: [String]?)
  /// The model's entity and the path of the elements, as far as they are known.
  let content: String?

  /// Refreshes the copy.
  /// - Parameters:
  ///   - previous: the known record of the copy.
  ///   - stored: the stored data at the time when that record was read.
  ///   - force: whether to send a request even if the copy is still fresh according to the server.
  ///   - note: called with progress.
  /// - Returns: the record of the copy after the refresh; its report describes this refresh, or
  ///   that of another process which has overtaken it.
  /// - Throws: ``LocalCopyError``, `CancellationError`, or the error of `accept`. In these cases,
  ///   nothing has changed.
  func run(
    previous: CopyRecord?, stored: Data?, force: Bool,
    note: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshedCopy {
    let start = Start(date: clock.now, uptime: clock.uptime, stored: stored)
    let previous = previous.flatMap { isOfThisFeed($0) ? $0 : nil }
    if !force, var record = previous, let end = record.freshUntil,
      (record.lastGood..<max(end, record.lastGood)).contains(start.date)
    {
      // The server guaranteed the copy's freshness until then.
      record.lastGood = start.date
      record.report = report(start, attempts: 0)
      record.report.notModified = true
      record.report.validators = record.validators
      return RefreshedCopy(record: record, stored: stored)
    }
    let thread = ImportThread()
    do {
      switch source {
      case .file(let url):
        return try await withDeadline(http.totalDeadline, clock) {
          try await withTaskExecutorPreference(thread) {
            try await read(file: url, start, note)
          }
        }
      case .http(let url):
        // All attempts use the same connection where they can.
        let client = CurlClient()
        return try await withDeadline(http.totalDeadline, clock) {
          try await withTaskExecutorPreference(thread) {
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
    /// The stored data at that time.
    let stored: Data?
  }

  private func report(_ start: Start, attempts: Int) -> RefreshReport {
    var report = RefreshReport()
    report.source = source.description
    report.startedAt = start.date
    report.attempts = attempts
    return report
  }

  // MARK: Attempts

  private func attempts(
    _ url: URL, _ client: CurlClient, _ previous: CopyRecord?, _ start: Start,
    _ note: @escaping @Sendable (RefreshProgress) -> Void
  ) async throws -> RefreshedCopy {
    var machine = RetryMachine(http.retry, deadline: http.totalDeadline)
    var random = makeRandom()
    var transport = HTTPTransport(
      client: client, configuration: http, clock: clock)
    while true {
      do {
        let elements = ElementImport<Element, Store>(plan, into: store, note: note)
        let validators = previous?.validators ?? FeedValidators()
        let answer = try await transport.fetch(
          url, validators: validators, of: previous?.validated, into: elements.sink)
        return try conclude(elements, answer, previous, start, attempts: machine.failures + 1)
      } catch {
        guard let failure = AttemptFailure(error, isRemote: true) else { throw error }
        let elapsed = clock.uptime - start.uptime
        let action = machine.failed(failure.kind, elapsed: elapsed, using: &random)
        guard case .retry(let pause) = action else { throw failure.error }
        transport = transport.forRetry(after: failure.error)
        SwiftDataLog.report(
          .notice, "LocalCopy", "\(name) is requested again after \(pause)", failure.error)
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

  /// Commits the received elements together with the new record of the copy.
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
    record.revision = form.revision
    record.properties = form.properties
    record.content = content
    if let cache = answer.cache, cache.mayStore {
      let old = answer.notModified ? previous?.validators : nil
      record.validators.entityTag = answer.validators.entityTag ?? old?.entityTag
      record.validators.lastModified = answer.validators.lastModified ?? old?.lastModified
      record.freshUntil = answer.received.addingTimeInterval(cache.freshFor)
    }
    record.validated = answer.address
    record.report.validators = record.validators
    let data = try record.data()
    var overtaking: RefreshedCopy?
    try elements.commit(forKey: keyToWrite(), insteadOf: formerKey) {
      overtaking = try overtakingCopy(answer, start)
      return overtaking == nil ? data : nil
    }
    if let overtaking {
      SwiftDataLog.report(
        .notice, "LocalCopy", "Another refresh of \(name) has overtaken this one")
      return overtaking
    }
    // The final report covers the whole time, including the commit.
    record.report.duration = (clock.uptime - start.uptime).inSeconds
    return RefreshedCopy(record: record, stored: data)
  }

  /// Returns the copy that another process has committed while this refresh ran, if that copy is to
  /// be kept: this refresh's response is older, or it only says that the copy it was compared with
  /// matches the feed.
  private func overtakingCopy(_ answer: FeedAnswer, _ start: Start) throws -> RefreshedCopy? {
    let stored = try storedData()
    guard stored != start.stored else { return nil }
    if answer.notModified, stored == nil {
      throw LocalCopyError(
        .stateUnreadable, reason: "The copy was deleted while it was compared with the feed",
        advice: "The next refresh fetches the whole feed.")
    }
    guard let stored, let record = record(in: stored) else { return nil }
    // A copy with a date in the future was made before the clock was set back; its age is
    // meaningless.
    let isNewer = record.lastGood > answer.received && record.lastGood <= clock.now
    return answer.notModified || isNewer ? RefreshedCopy(record: record, stored: stored) : nil
  }
}

/// The known values of a copy after a refresh.
struct RefreshedCopy: Sendable {
  var record: CopyRecord
  /// The stored data.
  var stored: Data?
}
