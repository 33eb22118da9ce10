import Foundation

/// The error of a request's target that can't be used.
public struct RequestTargetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    let name: String

    /// The target is missing or doesn't begin with a slash.
    public static let notAPath = Code(name: "the request's target is not a path")
    /// The target has more than ``RequestTarget/maximumLength`` bytes.
    public static let tooLong = Code(name: "the request's target is too long")
    /// The percent-encoding is malformed, or it has no text of UTF-8 without control characters.
    public static let invalidEncoding = Code(name: "the request's target is not encoded correctly")
  }

  /// The kind of failure.
  public let code: Code

  init(_ code: Code) { self.code = code }

  public var description: String { code.name }
}

extension RequestTargetError: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
