/// When a transfer has waited too long.
struct TransferClock {
  let idleTimeout: Duration?
  let totalTimeout: Duration?
  let start: ContinuousClock.Instant
  /// The longest time: the clock's instants end some way beyond it.
  private static let century: Duration = .seconds(3_153_600_000)
  /// When the last byte was sent or received.
  private var lastProgress: ContinuousClock.Instant?

  init(_ request: CurlRequest, start: ContinuousClock.Instant = .now) {
    idleTimeout = request.idleTimeout.map { min($0, Self.century) }
    totalTimeout = request.totalTimeout.map { min($0, Self.century) }
    self.start = start
  }

  mutating func noteProgress(at instant: ContinuousClock.Instant = .now) { lastProgress = instant }

  /// Returns when the transfer has to end unless something happens before, and the error for it; nil for never.
  /// - Parameters:
  ///   - now: the present time.
  ///   - isConnected: whether the connection is made; before that the library's own limit holds.
  ///   - isPaused: whether the reader of the body takes its time, which isn't the server's.
  mutating func deadline(
    at now: ContinuousClock.Instant, isConnected: Bool, isPaused: Bool
  ) -> (ContinuousClock.Instant, CurlError)? {
    let total = totalTimeout.map {
      (start + $0, CurlError(.totalTimeout, "The exchange took longer than \($0)"))
    }
    guard let idleTimeout, isConnected, !isPaused else {
      lastProgress = nil
      return total
    }
    let progress = lastProgress ?? now
    lastProgress = progress
    let end = progress + idleTimeout
    if let total, total.0 <= end { return total }
    return (end, CurlError(.idleTimeout, "Nothing was received for \(idleTimeout)"))
  }
}
