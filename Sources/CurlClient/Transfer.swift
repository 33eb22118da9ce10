import Synchronization

/// One exchange: the loop's thread fills it, and a task reads it.
final class Transfer: Sendable {
  typealias Head = (status: Int, reason: String, fields: HTTPFields)

  /// The bytes that wait for the reader before the transfer pauses.
  private static let limit = 256 * 1024

  let request: CurlRequest

  private struct State {
    var head: Result<Head, CurlError>?
    var waitsForHead: CheckedContinuation<Result<Head, CurlError>, Never>?
    var bytes: [UInt8] = []
    var isPaused = false
    var reader: CheckedContinuation<Result<[UInt8]?, CurlError>, Never>?
    /// How it ended: nil in the result for a complete response.
    var end: CurlError??
  }

  private let state = Mutex(State())

  init(_ request: CurlRequest) { self.request = request }

  // MARK: The task

  func awaitHead(_ continuation: CheckedContinuation<Result<Head, CurlError>, Never>) {
    let head = state.withLock { state -> Result<Head, CurlError>? in
      if state.head == nil { state.waitsForHead = continuation }
      return state.head
    }
    if let head { continuation.resume(returning: head) }
  }

  /// Takes what arrived, or waits for it.
  /// - Parameter resume: called when the transfer paused and can go on.
  func read(
    _ continuation: CheckedContinuation<Result<[UInt8]?, CurlError>, Never>,
    resume: () -> Void
  ) {
    var isPaused = false
    let result = state.withLock { state -> Result<[UInt8]?, CurlError>? in
      if case .some(.some(let error)) = state.end, error.code == .cancelled {
        return .failure(error)
      }
      guard state.bytes.isEmpty else {
        isPaused = state.isPaused
        state.isPaused = false
        defer { state.bytes = [] }
        return .success(state.bytes)
      }
      if let end = state.end { return end.map { .failure($0) } ?? .success(nil) }
      state.reader = continuation
      return nil
    }
    if isPaused { resume() }
    if let result { continuation.resume(returning: result) }
  }

  // MARK: The loop

  /// Whether nothing is to be received any more.
  var isEnded: Bool { state.withLock { $0.end != nil } }

  /// Whether the reader takes its time; this isn't the server's.
  var isPaused: Bool { state.withLock { $0.isPaused } }

  func receive(head: Head) {
    let waiting = state.withLock { state in
      if state.head == nil { state.head = .success(head) }
      defer { state.waitsForHead = nil }
      return state.waitsForHead
    }
    waiting?.resume(returning: .success(head))
  }

  /// Receives bytes of the body.
  /// - Returns: false when they have to be offered again later.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var reader: CheckedContinuation<Result<[UInt8]?, CurlError>, Never>?
    let isTaken = state.withLock { state in
      if let waiting = state.reader {
        state.reader = nil
        reader = waiting
        return true
      }
      guard state.bytes.isEmpty || state.bytes.count + bytes.count <= Self.limit else {
        state.isPaused = true
        return false
      }
      if state.bytes.isEmpty { state.bytes.reserveCapacity(Self.limit) }
      state.bytes.append(contentsOf: bytes)
      return true
    }
    reader?.resume(returning: .success(Array(bytes)))
    return isTaken
  }

  /// Ends it, unless it has ended.
  /// - Parameter error: nil for a complete response.
  /// - Returns: whether it hadn't ended.
  @discardableResult
  func finish(_ error: CurlError?) -> Bool {
    var waiting: CheckedContinuation<Result<Head, CurlError>, Never>?
    var reader: CheckedContinuation<Result<[UInt8]?, CurlError>, Never>?
    let failure = error ?? CurlError(.closed, "The response has no head")
    let isFirst = state.withLock { state in
      guard state.end == nil else { return false }
      state.end = .some(error)
      if state.head == nil { state.head = .failure(failure) }
      waiting = state.waitsForHead
      reader = state.reader
      state.waitsForHead = nil
      state.reader = nil
      return true
    }
    waiting?.resume(returning: .failure(failure))
    reader?.resume(returning: error.map { .failure($0) } ?? .success(nil))
    return isFirst
  }
}
