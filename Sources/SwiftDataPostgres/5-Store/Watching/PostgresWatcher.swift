import CPostgres
import Foundation
import SwiftDataCore
import SwiftDataSQL
import Synchronization

/// Notices commits by others to a store, and reports them: when the server announces one, and otherwise at the times of
/// ``PollingPace``. It has a connection and a thread of its own.
final class PostgresWatcher: @unchecked Sendable {
  // Unchecked: all mutable state is used only under the lock, except the pace, which only the thread uses.
  private weak var store: PostgresStore?
  private let options: PostgresConnectionOptions
  private let schema: String
  private let name: String
  private let checks: CommitChecks
  private let announcements: CommitAnnouncements?
  /// Held while the server is asked, so that when ``stop()`` returns, the store is released and no connection is open.
  /// Not held while listeners are notified and messages passed on, which may have their own locks. Recursive, because a
  /// look may hold the last reference to the store, whose deinitialization calls ``stop()``.
  private let lock = NSRecursiveLock()
  private var connection: PostgresConnection?
  private var isListening = false
  /// Whether the server of the connection may have announcements.
  private var canListen = false
  private var isStopped = false
  private var pace = PollingPace()
  private var lastFailure = ""
  /// Written to in order to wake the thread.
  private let alarm: (reading: Int32, writing: Int32)

  /// Starts watching. The store reports commits from now on.
  init(_ store: PostgresStore) {
    self.store = store
    options = store.options
    schema = store.databaseSchema
    name = store.address
    checks = store.checks
    announcements = store.announcements
    var ends: [Int32] = [-1, -1]
    alarm = pipe(&ends) == 0 ? (ends[0], ends[1]) : (-1, -1)
    // Programs that this one starts must not keep it open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    do { try open(store) } catch { report(error) }
    store.monitor.beginReporting()
    let thread = Thread { [self] in run() }
    thread.name = "SwiftData.PostgresWatcher"
    thread.start()
  }

  deinit {
    close(alarm.reading)
    close(alarm.writing)
  }

  /// Stops watching: when this returns, the connection is closed and the store isn't held any more. Waits for a running
  /// look, but not for listeners that are being notified.
  func stop() {
    lock.withLock {
      isStopped = true
      connection = nil
      checks.setWatched(false)
    }
    var byte: UInt8 = 0
    _ = write(alarm.writing, &byte, 1)
  }

  private func open(_ store: PostgresStore) throws {
    let connection = try PostgresConnection(options)
    try connection.use(schema: schema)
    canListen = announcements != nil && !connection.isPooled
    try listen(connection)
    try store.observe(connection)
    self.connection = connection
    checks.setWatched(isListening)
  }

  /// Asks for announcements. There are none behind a pooler, at a server that may only be read, and at one that doesn't
  /// have them; and none as long as a transaction that is being committed may not know of this listener.
  private func listen(_ connection: PostgresConnection) throws {
    isListening = false
    guard canListen, let announcements else { return }
    do {
      isListening = try connection.listen(
        to: announcements.channel, with: announcements.locks)
    } catch let error as StoreError
      where ["0A000", "25006", "42601"].contains(error.sqlState)
    {
      canListen = false
    }
  }

  // MARK: - The thread

  private func run() {
    while let (commits, found, pause, socket) = lookLocked() {
      for commit in found { commits.post(commit) }
      wait(socket, pause)
    }
  }

  /// The time in milliseconds between two looks at least, so that many commits need few.
  private static let minimumPause: Int32 = 5

  /// Waits for the server, for ``stop()``, or until the next look is due.
  private func wait(_ socket: Int32, _ milliseconds: Int32) {
    var stop = pollfd(fd: alarm.reading, events: Int16(POLLIN), revents: 0)
    guard poll(&stop, 1, Self.minimumPause) == 0, milliseconds > Self.minimumPause else { return }
    var descriptors = [
      pollfd(fd: alarm.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&descriptors, 2, milliseconds)
  }

  private func lookLocked() -> (StoreCommits, [StoreCommit], Int32, Int32)? {
    SwiftDataLog.withMessagesHeld { lock.withLock { look() } }
  }

  /// Asks the server. Call it while holding the lock.
  ///
  /// - Returns: The commits to report, the object that reports them, the time until the next look, and the socket to
  ///   wait at; nil when the store no longer exists.
  private func look() -> (StoreCommits, [StoreCommit], Int32, Int32)? {
    guard !isStopped, let store else { return nil }
    var found: [StoreCommit] = []
    do {
      let isBehind = try look(for: store, &found)
      lastFailure = ""
      let pause =
        isBehind ? 0 : pace.next(isListening: isListening, hasFound: !found.isEmpty)
      return (store.commits, found, pause, isListening ? connection?.socket ?? -1 : -1)
    } catch {
      connection = nil
      isListening = false
      checks.setWatched(false)
      report(error)
      return (store.commits, found, pace.nextAfterFailure(), -1)
    }
  }

  /// - Returns: Whether a commit was announced meanwhile, which the socket won't report again.
  private func look(for store: PostgresStore, _ found: inout [StoreCommit]) throws -> Bool {
    if connection == nil { try open(store) }
    guard let connection else { return false }
    if canListen && !isListening {
      try listen(connection)
      checks.setWatched(isListening)
    }
    if isListening { _ = try connection.takeNotifications() }
    try store.observe(connection)
    try store.consumeForeignCommits(on: connection, into: &found)
    store.removeOldNotes(connection)
    return try isListening && connection.takeNotifications() > 0
  }

  /// Reports each failure once, however often it recurs.
  private func report(_ error: any Error) {
    let message = "\(error)"
    guard message != lastFailure else { return }
    lastFailure = message
    SwiftDataLog.report(
      .warning, "Postgres", "what others commit to \(name) can't be seen: \(message)")
  }
}
