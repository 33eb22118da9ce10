import HTTPTypes
import Hummingbird
import LocalApp
import NIOCore
import ServiceLifecycle
import Synchronization

/// Faults of the server on purpose, with which clients can be seen to lose and repeat nothing.
final class ServerFaults: Sendable {
  /// The fate of a request.
  enum Kind: String, CaseIterable, Sendable {
    /// It isn't carried out: 503 with `Retry-After`.
    case unavailable = "503"
    /// It is carried out, and the connection ends within the answer.
    case lostAnswer = "lost"
    /// It is carried out late.
    case late = "slow"
    /// It isn't carried out: 500, as of a server with a defect.
    case failure = "500"
  }

  private struct CutOff: Error {}

  private let plan: FaultPlan
  private let delay: Duration
  /// Whether each of the next requests has a fault, at most a hundred of them, and the number of faults so far.
  private let state = Mutex((next: [Bool](), count: 0))

  /// - Parameters:
  ///   - plan: The number and kinds of faults. Their places among each hundred requests are random: with a period, a
  ///     client whose attempts are as long as the period would fail at the same request each time.
  ///   - delay: The time by which late requests are late.
  init(_ plan: FaultPlan, delay: Duration = .seconds(2)) {
    self.plan = plan
    self.delay = delay
  }

  /// Faults of all kinds.
  convenience init(percentage: Int, delay: Duration = .seconds(2)) {
    self.init(FaultPlan(percentage: percentage), delay: delay)
  }

  /// Returns the fault of the next request; nil when it has none.
  func next() -> Kind? {
    state.withLock { state in
      if state.next.isEmpty { state.next = (0..<100).map { $0 < plan.percentage }.shuffled() }
      guard state.next.removeLast() else { return nil }
      defer { state.count += 1 }
      return plan.kinds[state.count % plan.kinds.count]
    }
  }

  /// Carries a request out, with its fault if it has one.
  /// - Parameter answer: Carries the request out.
  /// - Throws: ``APIFailure`` 503, and what `answer` throws.
  func carryOut(_ answer: () async throws -> Response) async throws -> Response {
    switch next() {
    case nil: return try await answer()
    case .unavailable:
      throw APIFailure(
        .serviceUnavailable, "fault", "The server was told to fail at times: serve --faults.")
    case .failure:
      throw APIFailure(
        .internalServerError, "fault", "The server was told to fail at times: serve --faults.")
    case .lostAnswer:
      _ = try await answer()
      return Response(status: .ok, body: ResponseBody(contentLength: 2) { _ in throw CutOff() })
    case .late:
      try await cancelWhenGracefulShutdown { [delay] in try await Task.sleep(for: delay) }
      return try await answer()
    }
  }
}
