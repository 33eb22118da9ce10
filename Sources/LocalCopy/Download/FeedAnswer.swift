import Foundation

/// The result of reading a source, besides the bytes that went to the sink.
struct FeedAnswer: Sendable {
  /// Whether the server reported that nothing has changed (304).
  var notModified = false
  var validators = FeedValidators()
  /// The address that answered, after redirects, without its query; nil for files.
  var address: String?
  /// The time at which the response started to arrive.
  var received: Date
  /// The caching rules of the response; nil for files.
  var cache: CachePolicy?
  var wireBytes = 0
  var decodedBytes = 0
}

/// A failed attempt to read a source, with its consequence for further attempts.
struct AttemptFailure: Error {
  let error: LocalCopyError
  let kind: RetryMachine.Failure

  /// Classifies an error of an attempt.
  /// - Parameters:
  ///   - error: the error that was thrown while reading and importing.
  ///   - isRemote: whether the source is on the network, where a truncated body may arrive complete
  ///     the next time.
  /// - Returns: nil for errors that aren't about the feed, such as cancellation.
  init?(_ error: any Error, isRemote: Bool) {
    switch error {
    case let failure as AttemptFailure: self = failure
    case let error as LocalCopyError:
      self.init(error, isRemote && error.code == .truncated ? .transient : .permanent)
    default: return nil
    }
  }

  init(_ error: LocalCopyError, _ kind: RetryMachine.Failure) {
    self.error = error
    self.kind = kind
  }
}

/// Receives the data of a source, in the task that reads it: a slow sink slows the sender down.
struct FeedSink {
  /// Called once, before the first piece, with the size of the body as sent, if known.
  let begin: (_ expectedBytes: Int?) throws -> Void
  /// Called with each decoded piece, whose bytes are valid only during the call, and the number
  /// of bytes sent so far.
  let receive: (_ piece: UnsafeBufferPointer<UInt8>, _ wireBytes: Int) throws -> Void
}
