import Foundation

/// How the dates of a feed are written.
public enum JSONDateStrategy: Sendable {
  /// As `Date` decodes itself: seconds since 2001-01-01T00:00:00Z.
  case deferredToDate
  /// A number of seconds since 1970-01-01T00:00:00Z.
  case secondsSince1970
  /// A number of milliseconds since 1970-01-01T00:00:00Z, as JavaScript counts.
  case millisecondsSince1970
  /// An internet date-time such as `2025-05-04T13:52:55Z` (RFC 3339).
  case iso8601
  /// The given function decodes the date.
  case custom(@Sendable (any Decoder) throws -> Date)
}

/// How elements are decoded into the user's type.
public struct JSONDecodingOptions: Sendable {
  /// How dates are written; `deferredToDate` unless told.
  public var dates: JSONDateStrategy
  /// Facts for `init(from:)` of the user's types.
  public var userInfo: [CodingUserInfoKey: any Sendable]

  /// Makes options.
  /// - Parameters:
  ///   - dates: how dates are written.
  ///   - userInfo: facts for `init(from:)` of the user's types.
  public init(
    dates: JSONDateStrategy = .deferredToDate, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    self.dates = dates
    self.userInfo = userInfo
  }
}
