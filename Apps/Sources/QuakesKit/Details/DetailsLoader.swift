import Dispatch
import Foundation
import LocalCopy
import Logging
import Synchronization

/// Loads the details of events when they are asked for, and keeps them in the store.
///
/// One load of an event at a time runs in the program; callers that come meanwhile get its result.
public final class DetailsLoader: Sendable {
  /// The details of an event, or why there are none.
  public struct Answer: Sendable {
    /// The kept details.
    public var kept: KeptDetails
    /// Whether they are those of the event as it is now.
    public var isCurrent: Bool
    /// The failure of the load that would have renewed them.
    public var failure: DetailsError?
  }

  /// The limits of loads.
  struct Limits: Sendable {
    /// The maximum size of a document and of a file, in bytes, as sent and inflated.
    var bytes = 5_000_000
    /// The time for the document, and for its files together.
    var deadline = Duration.seconds(12)
    /// The number of loads at the same time.
    var loads = 4
    /// The number of loads that may begin within ``span``.
    var starts = 60
    var span = Duration.seconds(60)
    var retry = RetryPolicy()
    var now: @Sendable () -> Date = { Date() }

    init() {
      retry.maximumAttempts = 2
      retry.maximumRetryAfter = .seconds(2)
    }
  }

  /// The loads that run, and the times at which the last ones began.
  private struct State {
    var running: [String: Task<KeptDetails, any Error>] = [:]
    var starts: [ContinuousClock.Instant] = []
  }

  private let store: QuakeStore
  private let feed: FeedSelection
  private let service: EventService?
  private let limits: Limits
  private let logger: Logger
  private let state = Mutex(State())
  /// A save may wait for another writer; it must not do so on a thread of the tasks.
  private let queue = DispatchQueue(label: "quakes.details")

  /// - Parameters:
  ///   - store: The store that has the events and keeps the details.
  ///   - feed: The feed that fills the store, whose server may be asked.
  ///   - service: An event service whose server may be asked, besides those of the store's back-fills.
  ///   - logger: The logger for failures; by default, nobody gets them.
  public convenience init(
    _ store: QuakeStore, feed: FeedSelection, service: EventService? = nil,
    logger: Logger = QuakeFeed.silence
  ) {
    self.init(store, feed: feed, service: service, limits: Limits(), logger: logger)
  }

  init(
    _ store: QuakeStore, feed: FeedSelection, service: EventService? = nil, limits: Limits,
    logger: Logger = QuakeFeed.silence
  ) {
    self.store = store
    self.feed = feed
    self.service = service
    self.limits = limits
    self.logger = logger
  }

  /// Returns the details of an event. They are loaded when there are none, when the event has changed since, and after
  /// a day for an event of the last thirty days. When that fails, the kept ones are returned with the failure.
  /// - Parameters:
  ///   - event: The event as it is stored.
  ///   - loads: Whether to load them; otherwise only what is kept is returned.
  /// - Throws: ``DetailsError`` when nothing is kept and the load fails, ``QuakesError`` when the store cannot be read,
  ///   `CancellationError`.
  public func details(of event: Event, loads: Bool = true) async throws -> Answer {
    let kept = try store.keptDetails(of: event)
    let isCurrent = kept?.areCurrent(for: event, at: limits.now()) ?? false
    if let kept, isCurrent || !loads {
      return Answer(kept: kept, isCurrent: isCurrent, failure: nil)
    }
    guard loads else {
      throw DetailsError(.notLoaded, event.id, reason: "they were not loaded yet")
    }
    do {
      let loaded = try await load(event, kept)
      return Answer(kept: loaded, isCurrent: true, failure: nil)
    } catch let error as DetailsError {
      logger.info("\(error)")
      guard let kept else { throw error }
      return Answer(kept: kept, isCurrent: false, failure: error)
    }
  }

  // MARK: One load at a time

  private func load(_ event: Event, _ kept: KeptDetails?) async throws -> KeptDetails {
    let id = event.id
    let task = try state.withLock { state throws(DetailsError) in
      if let running = state.running[id] { return running }
      let now = ContinuousClock.now
      state.starts.removeAll { $0.duration(to: now) >= limits.span }
      guard state.running.count < limits.loads else {
        throw DetailsError(
          .busy, id, reason: "those of other events are being loaded; try again in some seconds")
      }
      guard state.starts.count < limits.starts else {
        // The first start leaves the span then.
        let wait = state.starts.first.map { limits.span - $0.duration(to: now) } ?? limits.span
        throw DetailsError(
          .busy, id,
          reason: "those of many other events were loaded within a minute; try again later",
          retryAfter: wait / .seconds(1))
      }
      state.starts.append(now)
      let task = Task {
        defer { self.state.withLock { $0.running[id] = nil } }
        return try await self.fetch(event, kept)
      }
      state.running[id] = task
      return task
    }
    // A caller that leaves doesn't end the load: it has a time limit, and its result is kept for the next one.
    return try await task.value
  }

  private func fetch(_ event: Event, _ kept: KeptDetails?) async throws -> KeptDetails {
    guard let address = event.detail, !address.isEmpty else {
      throw DetailsError(.noAddress, event.id, reason: "the feed names no document with details")
    }
    let sources = try store.detailSources(feed: feed, service: service)
    let url = try sources.url(address, of: event.id)
    let isSame = kept?.event == event.id && kept?.address == address
    let known = isSame ? kept : nil
    let answer = try await download(url, event.id, known?.validators ?? FeedValidators())
    var new =
      known
      ?? KeptDetails(
        event: event.id, address: address, loaded: limits.now(), eventUpdated: event.updated,
        details: EventDetails())
    new.loaded = limits.now()
    new.eventUpdated = event.updated
    new.validators = answer.validators
    if let bytes = answer.bytes {
      let identifiers = Set(event.otherIdentifiers + [event.id])
      let document = try decoded(event.id, url) { try DetailDocument(bytes, of: identifiers) }
      new.details = document.details
      for part in EventDetails.Part.allCases { new.details.addresses[part] = document.files[part] }
    }
    new.details = await withParts(new.details, known?.details, event.id, sources)
    let result = new
    try await perform { [store] in try store.keep(result) }
    return result
  }

  // MARK: Files

  /// Returns details with the parts that are in files of their own: those that are kept, if they are from the same
  /// file, whose address has its time. A file that can't be loaded doesn't make the rest useless.
  private func withParts(
    _ details: EventDetails, _ known: EventDetails?, _ event: String, _ sources: DetailSources
  ) async -> EventDetails {
    var details = details
    details.missing = []
    await withTaskGroup(of: (EventDetails.Part, EventDetails?).self) { group in
      for (part, address) in details.addresses {
        if let known, known.addresses[part] == address, !known.missing.contains(part) {
          details.take(part, from: known)
          continue
        }
        group.addTask {
          (part, await self.part(part, at: address, event, sources))
        }
      }
      for await (part, loaded) in group {
        if let loaded { details.take(part, from: loaded) } else { details.missing.append(part) }
      }
    }
    details.missing.sort { $0.rawValue < $1.rawValue }
    return details
  }

  /// Loads a file; nil when it can't be.
  private func part(
    _ part: EventDetails.Part, at address: String, _ event: String, _ sources: DetailSources
  ) async -> EventDetails? {
    do {
      let url = try sources.url(address, of: event)
      let bytes = try await download(url, event, FeedValidators()).bytes ?? []
      return try decoded(event, url) {
        var details = EventDetails()
        switch part {
        case .towns: details.towns = try TownsDocument.read(bytes)
        case .contours: details.contours = try ContoursDocument.read(bytes)
        }
        return details
      }
    } catch {
      logger.info("the \(part.rawValue) of \(PlainText.neutralised(event)): \(error)")
      return nil
    }
  }

  private func download(
    _ url: URL, _ event: String, _ validators: FeedValidators
  ) async throws -> DocumentDownload.Answer {
    var configuration = HTTPConfiguration()
    configuration.userAgent = "quakes (OpenSwiftData)"
    configuration.totalDeadline = limits.deadline
    // The deadline ends a server that is silent, too.
    configuration.idleTimeout = limits.deadline + .seconds(10)
    configuration.maximumWireBytes = limits.bytes
    configuration.maximumDecodedBytes = limits.bytes
    configuration.redirectsStayAtOrigin = true
    configuration.retry = limits.retry
    do {
      return try await DocumentDownload(configuration).load(url, validators: validators)
    } catch let error as LocalCopyError {
      throw DetailsError(error, event, from: url.host() ?? "the server")
    }
  }

  private func decoded<Result>(
    _ event: String, _ url: URL, _ body: () throws -> Result
  ) throws(DetailsError) -> Result {
    do { return try body() } catch {
      let server = PlainText.neutralised(url.host() ?? "the server")
      let reason = (error as? DetailDocument.Refusal)?.reason ?? "\(error)"
      throw DetailsError(
        .malformed, event, reason: "\(server) sends a document that cannot be used: \(reason)")
    }
  }

  /// Runs `work` on another thread.
  private func perform(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try work() }) }
    }
  }
}

extension EventDetails {
  /// Takes over a part that is in a file of its own.
  fileprivate mutating func take(_ part: Part, from other: EventDetails) {
    switch part {
    case .towns: towns = other.towns
    case .contours: contours = other.contours
    }
  }
}
