/// The options for fetching a feed, and the limits on a response.
public struct HTTPConfiguration: Sendable {
  /// The longest time for a complete refresh, including retries and pauses.
  public var totalDeadline: Duration = .seconds(120)
  /// The longest time to establish a connection.
  public var connectTimeout: Duration = .seconds(10)
  /// The longest time without received data.
  public var idleTimeout: Duration = .seconds(30)
  /// The largest body in bytes as sent, compressed or not.
  public var maximumWireBytes = 1 << 28
  /// The largest body in bytes after inflating.
  public var maximumDecodedBytes = 1 << 32
  /// The maximum ratio of a body's inflated size to its compressed size. The first mebibyte is
  /// exempt: short runs compress well beyond any ratio that a whole document has.
  public var maximumInflationRatio = 200
  /// The maximum number of redirects to follow.
  public var maximumRedirects = 5
  /// The hosts that redirects may lead to, besides the feed's own; nil allows all.
  public var allowedRedirectHosts: Set<String>?
  /// Whether redirects may only lead to addresses with the feed's own scheme, host and port.
  public var redirectsStayAtOrigin = false
  /// The retry policy for failed requests.
  public var retry = RetryPolicy()
  /// Additional headers, such as `Authorization`. They are sent only to addresses with the feed's own scheme, host and
  /// port, not after a redirect to another one, even from http to https of the same host.
  public var headers: [String: String] = [:]
  /// The value of the `User-Agent` header.
  public var userAgent = "LocalCopy (Swift)"

  /// Creates a configuration with the defaults.
  public init() {}
}

/// The rules for repeating failed requests: exponential backoff with full jitter.
public struct RetryPolicy: Sendable, Hashable {
  /// The maximum number of requests, including the first.
  public var maximumAttempts = 4
  /// The maximum pause before the first retry; it doubles with each further retry.
  public var baseDelay: Duration = .milliseconds(500)
  /// The maximum pause before any retry.
  public var maximumDelay: Duration = .seconds(30)
  /// The longest pause that the client accepts from a server (`Retry-After`). When the server asks
  /// for a longer pause, the refresh fails with an error that says so, and the caller decides about
  /// the next refresh.
  public var maximumRetryAfter: Duration = .seconds(60)

  /// Creates a policy with the defaults.
  public init() {}
}
