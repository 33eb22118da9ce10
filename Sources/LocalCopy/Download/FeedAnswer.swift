import Foundation

/// What reading a source has brought, besides the bytes that went to the sink.
struct FeedAnswer: Sendable {
  /// Whether the server said that nothing has changed (304).
  var notModified = false
  var validators = FeedValidators()
  /// When the answer began to arrive.
  var received: Date
  /// What the answer says about its further use; nil for files.
  var cache: CachePolicy?
  var wireBytes = 0
  var decodedBytes = 0
}

/// A failed attempt to read a source, with what follows from it for another attempt.
struct AttemptFailure: Error {
  let error: LocalCopyError
  let kind: RetryMachine.Failure

  /// Judges an error of an attempt.
  /// - Parameters:
  ///   - error: what was thrown while reading and importing.
  ///   - isRemote: whether the source is on the network, where a cut body may come whole next time.
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

/// Takes what a source brings, in the task that reads it: a slow taker slows the sender down.
struct FeedSink {
  /// Called once, before the first piece, with the size of the body as sent, if it is known.
  let begin: (_ expectedBytes: Int?) throws -> Void
  /// Called with each decoded piece, whose bytes are valid only during the call, and the number
  /// of bytes sent so far.
  let receive: (_ piece: UnsafeBufferPointer<UInt8>, _ wireBytes: Int) throws -> Void
}
