import CurlClient
import Foundation
import WireFormats

/// Loads one document from a server into memory, with the limits, redirect rules and repeated requests of a feed's
/// refresh, for documents that belong to a feed's elements and are no feeds themselves.
///
/// ```swift
/// var download = DocumentDownload()
/// download.configuration.maximumDecodedBytes = 5_000_000
/// let answer = try await download.load(address, validators: known)
/// ```
public struct DocumentDownload: Sendable {
  /// The answer of a server.
  public struct Answer: Sendable, Hashable {
    /// The inflated document; nil when it hasn't changed (304).
    public var bytes: [UInt8]?
    /// The validators for a later conditional request; empty when the server forbids to store anything.
    public var validators = FeedValidators()
  }

  /// The options for the requests, and the limits on the document. `totalDeadline` covers all attempts.
  public var configuration: HTTPConfiguration

  package var clock: any TimeSource = SystemTime()
  package var makeRandom: @Sendable () -> any RandomNumberGenerator = {
    SystemRandomNumberGenerator()
  }

  /// Creates a download.
  /// - Parameter configuration: the options for the requests.
  public init(_ configuration: HTTPConfiguration = HTTPConfiguration()) {
    self.configuration = configuration
  }

  /// Loads a document.
  /// - Parameters:
  ///   - url: an `http` or `https` address without a user name.
  ///   - validators: make the request conditional unless empty.
  /// - Returns: the document, or that it hasn't changed.
  /// - Throws: ``LocalCopyError``, with the code `invalidSource` for another address, or `CancellationError`.
  public func load(
    _ url: URL, validators: FeedValidators = FeedValidators()
  ) async throws -> Answer {
    let source = try FeedSource(url)
    guard case .http = source else {
      throw LocalCopyError(
        .invalidSource, reason: "The document isn't on a server", advice: "Read the file itself.")
    }
    do {
      return try await withDeadline(configuration.totalDeadline, clock) {
        try await attempts(url, validators)
      }
    } catch let error as LocalCopyError {
      throw error.naming(source.description)
    } catch let failure as AttemptFailure {
      throw failure.error.naming(source.description)
    }
  }

  private func attempts(_ url: URL, _ validators: FeedValidators) async throws -> Answer {
    let start = clock.uptime
    var machine = RetryMachine(configuration.retry, deadline: configuration.totalDeadline)
    var random = makeRandom()
    var transport = HTTPTransport(
      client: CurlClient(), configuration: configuration, clock: clock)
    while true {
      do {
        return try await request(url, validators, transport)
      } catch {
        guard let failure = AttemptFailure(error, isRemote: true) else { throw error }
        let elapsed = clock.uptime - start
        let action = machine.failed(failure.kind, elapsed: elapsed, using: &random)
        guard case .retry(let pause) = action else { throw failure.error }
        transport = transport.forRetry(after: failure.error)
        try await clock.sleep(for: pause)
      }
    }
  }

  private func request(
    _ url: URL, _ validators: FeedValidators, _ transport: HTTPTransport
  ) async throws -> Answer {
    let collected = Collected()
    let sink = FeedSink(begin: { _ in }, receive: { piece, _ in collected.bytes += piece })
    let received = try await transport.fetch(url, validators: validators, into: sink)
    var answer = Answer()
    if !received.notModified { answer.bytes = collected.bytes }
    if received.cache?.mayStore ?? true {
      let known = received.notModified ? validators : FeedValidators()
      answer.validators.entityTag = received.validators.entityTag ?? known.entityTag
      answer.validators.lastModified = received.validators.lastModified ?? known.lastModified
    }
    return answer
  }

  /// The bytes of the body so far.
  private final class Collected {
    var bytes: [UInt8] = []
  }
}
