/// How a feed is fetched, and what an answer may cost.
public struct HTTPConfiguration: Sendable {
  /// The time for a whole refresh, retries and waiting included.
  public var totalDeadline: Duration = .seconds(120)
  /// The time to get a connection.
  public var connectTimeout: Duration = .seconds(10)
  /// The longest time without a byte.
  public var idleTimeout: Duration = .seconds(30)
  /// The largest body in bytes as sent, compressed or not.
  public var maximumWireBytes = 1 << 28
  /// The largest body in bytes after inflating.
  public var maximumDecodedBytes = 1 << 32
  /// How many times larger than its compressed form a body may be. The first mebibyte is free:
  /// short runs compress well beyond any ratio that a whole document has.
  public var maximumInflationRatio = 200
  /// The number of redirects that are followed.
  public var maximumRedirects = 5
  /// The hosts that redirects may lead to, besides the feed's own; nil allows all.
  public var allowedRedirectHosts: Set<String>?
  /// When and how often a failed request is repeated.
  public var retry = RetryPolicy()
  /// Headers to send, such as `Authorization`. They are not sent to another host.
  public var headers: [String: String] = [:]
  /// What the client calls itself.
  public var userAgent = "LocalCopy (Swift)"

  /// Makes a configuration with the defaults.
  public init() {}
}

/// When and how often a failed request is repeated: exponential backoff with full jitter.
public struct RetryPolicy: Sendable, Hashable {
  /// The number of requests at most, the first one included.
  public var maximumAttempts = 4
  /// The longest pause before the first repetition; it doubles with each further one.
  public var baseDelay: Duration = .milliseconds(500)
  /// The longest pause of all.
  public var maximumDelay: Duration = .seconds(30)
  /// The longest pause asked for by a server (`Retry-After`) that is waited for. When it asks
  /// for more, the refresh fails and says so, and the next one is up to the caller.
  public var maximumRetryAfter: Duration = .seconds(60)

  /// Makes a policy with the defaults.
  public init() {}
}
