import Foundation

/// The format of a feed's dates.
public enum JSONDateStrategy: Sendable {
  /// The form that `Date` decodes by default: seconds since 2001-01-01T00:00:00Z.
  case deferredToDate
  /// A number of seconds since 1970-01-01T00:00:00Z.
  case secondsSince1970
  /// A number of milliseconds since 1970-01-01T00:00:00Z, as in JavaScript.
  case millisecondsSince1970
  /// An internet date-time such as `2025-05-04T13:52:55Z` (RFC 3339).
  case iso8601
  /// A date decoded by the given function.
  case custom(@Sendable (any Decoder) throws -> Date)
}

/// Options for decoding elements into the user's type.
public struct JSONDecodingOptions: Sendable {
  /// The format of dates; `deferredToDate` by default.
  public var dates: JSONDateStrategy
  /// Values for `init(from:)` of the user's types.
  public var userInfo: [CodingUserInfoKey: any Sendable]

  /// Creates options.
  /// - Parameters:
  ///   - dates: the format of dates.
  ///   - userInfo: values for `init(from:)` of the user's types.
  public init(
    dates: JSONDateStrategy = .deferredToDate, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    self.dates = dates
    self.userInfo = userInfo
  }
}
