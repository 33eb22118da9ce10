import Foundation
import PostgresTesting
import Glibc
import TestSupport

@testable import SwiftDataPostgres

/// Passes the bytes between clients and the server of the tests, and does what a network can do to the COMMIT of a
/// save.
final class PostgresProxy: @unchecked Sendable {
  // Unchecked: the mutable state is used only under the lock.

  /// The fate of a COMMIT.
  enum Fate {
    case passed
    /// The server carries it out, and its answer is lost.
    case answerLost
    /// It never reaches the server.
    case lost
    /// It reaches the server when another connection has sent a text, and the client's connection is lost before.
    case late(until: String)
  }

  /// One client's connection.
  private final class Link: @unchecked Sendable {
    let client: Int32
    let server: Int32
    private let lock = NSLock()
    private var answers = true
    private var isOver = false
    private var waits = false
    private var texts = StatementTexts()

    init(client: Int32, server: Int32) {
      self.client = client
      self.server = server
    }

    deinit {
      close(client)
      close(server)
    }

    /// Whether the server's answers reach the client.
    var passesAnswers: Bool { lock.withLock { answers } }

    /// The statements in what the client has sent.
    func statements(in bytes: [UInt8]) -> StatementTexts.Sent {
      lock.withLock { texts.read(bytes) }
    }

    func loseAnswers() { lock.withLock { answers = false } }

    func end() {
      let isFirst = lock.withLock {
        defer { isOver = true }
        return !isOver
      }
      guard isFirst else { return }
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
    }

    /// Ends the client's side. The server's stays open until it has answered what is still to be sent.
    func endClient() {
      lock.withLock {
        answers = false
        waits = true
      }
      shutdown(client, Int32(SHUT_RDWR))
    }

    func clientHasEnded() {
      if !lock.withLock({ waits }) { end() }
    }
  }

  private let folder: URL
  private let target: String
  private let listener: Int32
  private let lock = NSLock()
  private var fates: [Fate] = []
  private var held: (link: Link, bytes: [UInt8], text: [UInt8])?
  private var count = 0
  private var lossHandler: (@Sendable () -> Void)?
  private var texts: Set<String> = []
  private var notices = 0
  private var lookups = 0
  private var interruption: (beginning: String, body: @Sendable () -> Void)?

  init(to server: PostgresServer) throws {
    // A connection may end while it is written to.
    signal(SIGPIPE, SIG_IGN)
    folder = TemporaryFolder.fastParent.appending(path: "osd-proxy-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    target = server.socketPath
    let path = folder.appending(path: ".s.PGSQL.5432").path
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard ProxySockets.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
    else {
      throw PostgresServer.Failure(description: "the proxy can't listen at \(path)")
    }
    ProxySockets.start { [weak self, listener] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let self else { return }
        self.connect(client)
      }
    }
  }

  /// Ends all waiting.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    do { try FileManager.default.removeItem(at: folder) } catch { print("\(error)") }
  }

  var url: String { "postgresql://postgres@/postgres?host=\(folder.path)&port=5432" }

  /// Sets what happens to the next COMMITs of saves; those that follow are passed.
  ///
  /// - Parameter handler: Called when an answer was lost, before the client learns that its connection has ended.
  func set(_ fates: [Fate], onLoss handler: (@Sendable () -> Void)? = nil) {
    lock.withLock {
      self.fates = fates
      lossHandler = handler
    }
  }

  /// Sets what is done once before a statement with a beginning reaches the server.
  func before(_ beginning: String, _ body: @escaping @Sendable () -> Void) {
    lock.withLock { interruption = (beginning, body) }
  }

  private func interrupt(_ statements: [String]) {
    let body = lock.withLock { () -> (@Sendable () -> Void)? in
      guard let waiting = interruption,
        statements.contains(where: { $0.hasPrefix(waiting.beginning) })
      else { return nil }
      interruption = nil
      return waiting.body
    }
    body?()
  }

  /// The number of COMMITs of saves that were seen.
  var commitCount: Int { lock.withLock { count } }

  /// The number of announcements that were seen.
  var noticeCount: Int { lock.withLock { notices } }

  /// The number of look-ups of unique values that were seen.
  var lookupCount: Int { lock.withLock { lookups } }

  /// The texts of the statements that clients have sent.
  var statements: Set<String> { lock.withLock { texts } }

  // MARK: - Connections

  private func connect(_ client: Int32) {
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard ProxySockets.withAddress(target, { Glibc.connect(server, $0, $1) }) == 0 else {
      close(client)
      close(server)
      return
    }
    let link = Link(client: client, server: server)
    ProxySockets.start { [self] in
      ProxySockets.pump(client) { self.sent($0, link) }
      link.clientHasEnded()
    }
    ProxySockets.start { [self] in
      ProxySockets.pump(server) { bytes in
        if link.passesAnswers { return ProxySockets.write(bytes, to: client) }
        // The end of the answer: the server is ready and in no transaction.
        let isEnd = bytes.suffix(6).elementsEqual(
          [UInt8(ascii: "Z"), 0, 0, 0, 5, UInt8(ascii: "I")])
        if isEnd { lock.withLock { lossHandler }?() }
        return !isEnd
      }
      link.end()
    }
  }

  // MARK: - Saves

  /// Passes what a client has sent.
  private func sent(_ bytes: [UInt8], _ link: Link) -> Bool {
    let statements = link.statements(in: bytes)
    lock.withLock {
      texts.formUnion(statements.texts)
      notices += statements.executed.count {
        $0.hasPrefix("SELECT set_config('synchronous_commit'")
      }
      lookups += statements.executed.count { $0.hasPrefix("SELECT v.id") }
    }
    interrupt(statements.executed)
    let fate = fate(of: statements.executed)
    switch fate {
    case .passed: break
    case .answerLost: link.loseAnswers()
    case .lost: return false
    case .late(let text):
      lock.withLock { held = (link, bytes, Array(text.utf8)) }
      link.endClient()
      return false
    }
    guard ProxySockets.write(bytes, to: link.server) else { return false }
    release(bytes)
    return true
  }

  private func fate(of statements: [String]) -> Fate {
    // Reads are committed, too, but neither recorded nor checked.
    guard statements.contains("COMMIT"),
      statements.contains(where: {
        $0 == StoreTables.identityTest || $0.contains("INSERT INTO \"_history_transaction\"")
      })
    else { return .passed }
    return lock.withLock {
      count += 1
      return fates.isEmpty ? .passed : fates.removeFirst()
    }
  }

  private func release(_ bytes: [UInt8]) {
    let released = lock.withLock { () -> (link: Link, bytes: [UInt8])? in
      guard let waiting = held, bytes.firstRange(of: waiting.text) != nil else { return nil }
      held = nil
      return (waiting.link, waiting.bytes)
    }
    guard let released else { return }
    _ = ProxySockets.write(released.bytes, to: released.link.server)
  }
}
