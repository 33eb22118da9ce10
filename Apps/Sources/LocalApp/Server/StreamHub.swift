import Synchronization

/// Distributes events to all pages that listen: server-sent events (WHATWG HTML, 9.2).
///
/// The number of listeners, of messages waiting for a listener, and of messages kept for listeners that reconnect is
/// bounded. A listener that falls behind is disconnected. It reconnects, sends the last identifier it has, and gets the
/// messages it missed, or a `reset` if they are no longer kept.
package final class StreamHub: Sendable {
  /// The default maximum number of pages that listen at the same time.
  package static let maximumListeners = 64
  /// The maximum number of messages that wait for a slow listener.
  package static let maximumWaiting = 64
  /// The number of messages that are kept for listeners that reconnect.
  package static let maximumKept = 32

  /// An encoded message of the stream.
  package typealias Message = [UInt8]

  /// A page that listens.
  package struct Listener: Sendable {
    /// The messages for the page, until it leaves or falls behind.
    package let messages: AsyncStream<Message>
    fileprivate let continuation: AsyncStream<Message>.Continuation

    /// Ends the messages.
    package func leave() { continuation.finish() }
  }

  private struct Listeners {
    var next = 0
    var sequence = 0
    var kept: [(number: Int, message: Message)] = []
    var open: [Int: AsyncStream<Message>.Continuation] = [:]
    var isClosed = false
  }

  /// Distinguishes this server's identifiers from those of an earlier server.
  private let epoch: String
  private let maximumListeners: Int
  private let state = Mutex(Listeners())

  /// - Parameters:
  ///   - epoch: Distinguishes this server's identifiers from those of other servers.
  ///   - maximumListeners: The maximum number of pages that listen at the same time.
  package init(epoch: String, maximumListeners: Int = StreamHub.maximumListeners) {
    self.epoch = epoch
    self.maximumListeners = maximumListeners
  }

  /// The number of pages that listen.
  package var listeners: Int { state.withLock { $0.open.count } }

  /// Adds a listener. If the maximum is reached, the listener that has listened longest is disconnected: a page
  /// reconnects by itself and misses nothing, and clients that never read can't shut others out.
  /// - Parameter lastID: The last identifier that a reconnecting listener received.
  /// - Returns: The listener, whose first messages are those it missed; `nil` when the streams have ended.
  package func listen(after lastID: String?) -> Listener? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Message.self, bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
    let places: (key: Int, left: AsyncStream<Message>.Continuation?)? = state.withLock { state in
      guard !state.isClosed else { return nil }
      var left: AsyncStream<Message>.Continuation?
      if state.open.count >= maximumListeners, let oldest = state.open.keys.min() {
        left = state.open.removeValue(forKey: oldest)
      }
      for message in missed(after: lastID, in: state) { continuation.yield(message) }
      state.next += 1
      state.open[state.next] = continuation
      return (state.next, left)
    }
    guard let (key, left) = places else { return nil }
    left?.finish()
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.open.removeValue(forKey: key) }
    }
    return Listener(messages: stream, continuation: continuation)
  }

  /// Sends an event that reconnecting listeners must not miss.
  package func sendChanges(_ json: [UInt8]) {
    let dropped = state.withLock { state in
      state.sequence += 1
      let message = Self.message(event: "changes", id: id(state.sequence), data: json)
      state.kept.append((state.sequence, message))
      if state.kept.count > Self.maximumKept { state.kept.removeFirst() }
      return Self.pass(message, to: state.open)
    }
    // Finishing a stream calls back into this object, so it is done outside the lock.
    for continuation in dropped { continuation.finish() }
  }

  /// Sends an event that replaces all earlier ones of its kind.
  package func sendStatus(_ json: [UInt8]) {
    send(Self.message(event: "status", id: nil, data: json))
  }

  /// Sends a comment, so that proxies and timeouts don't close the connection.
  package func sendHeartbeat() { send(Array(": still here\n\n".utf8)) }

  /// Ends all streams.
  package func close() {
    let all = state.withLock { state in
      state.isClosed = true
      return Array(state.open.values)
    }
    for continuation in all { continuation.finish() }
  }

  /// The identifier of the last change, for a new listener.
  package var lastID: String { state.withLock { id($0.sequence) } }

  /// Encodes a message. Our JSON has no line breaks, so one `data` line holds it.
  package static func message(event: String, id: String?, data: [UInt8]) -> Message {
    var text = Array("event: \(event)\n".utf8)
    if let id { text += Array("id: \(id)\n".utf8) }
    text += Array("data: ".utf8) + data + Array("\n\n".utf8)
    return text
  }

  private func send(_ message: Message) {
    let dropped = state.withLock { Self.pass(message, to: $0.open) }
    for continuation in dropped { continuation.finish() }
  }

  /// Sends a message to all listeners; returns those whose buffers were full.
  private static func pass(
    _ message: Message, to open: [Int: AsyncStream<Message>.Continuation]
  ) -> [AsyncStream<Message>.Continuation] {
    open.values.filter { continuation in
      if case .dropped = continuation.yield(message) { return true }
      return false
    }
  }

  private func missed(after lastID: String?, in state: Listeners) -> [Message] {
    guard let lastID, lastID != id(state.sequence) else { return [] }
    let parts = lastID.split(separator: "-", omittingEmptySubsequences: false)
    let reset = Self.message(event: "reset", id: id(state.sequence), data: Array("{}".utf8))
    guard parts.count == 2, parts[0] == epoch, let number = Int(parts[1]),
      number < state.sequence, let oldest = state.kept.first?.number, number >= oldest - 1
    else { return [reset] }
    return state.kept.filter { $0.number > number }.map(\.message)
  }

  private func id(_ number: Int) -> String { "\(epoch)-\(number)" }
}
