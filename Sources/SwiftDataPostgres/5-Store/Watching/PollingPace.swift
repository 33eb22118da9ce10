/// Determines when a watcher looks next, in milliseconds.
struct PollingPace {
  /// The pause after activity, and the longest one without it, where the server tells nothing.
  static let shortestPause: Int32 = 20
  static let longestPause: Int32 = 80
  /// The pause where the server tells of commits: for those whose announcement was lost.
  static let idlePause: Int32 = 1_000
  /// The pause after a failure, which doubles up to the longest one.
  static let failurePause: Int32 = 250
  static let longestFailurePause: Int32 = 4_000

  private var pause = Self.shortestPause
  private var failures: Int32 = 0

  /// The pause after a look.
  ///
  /// - Parameters:
  ///   - isListening: Whether the server tells of commits.
  ///   - hasFound: Whether there was a commit.
  mutating func next(isListening: Bool, hasFound: Bool) -> Int32 {
    failures = 0
    if isListening { return Self.idlePause }
    pause = hasFound ? Self.shortestPause : min(2 * pause, Self.longestPause)
    return pause
  }

  /// The pause after a failure.
  mutating func nextAfterFailure() -> Int32 {
    defer { failures = min(failures + 1, 4) }
    return min(Self.failurePause << failures, Self.longestFailurePause)
  }
}
