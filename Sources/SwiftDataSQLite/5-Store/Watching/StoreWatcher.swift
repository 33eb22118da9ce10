import Dispatch
import Foundation
import SwiftDataCore
import SwiftDataStore
import Synchronization

/// Detects commits by others to a store's file, and reports them to the store.
///
/// It checks when the system reports a write, see ``FileEvents``, and otherwise at the times of ``PollingSchedule``. It
/// has its own connection and queue; both are released with it.
final class StoreWatcher: @unchecked Sendable {
  // Unchecked: all mutable state is used only under the lock, except the schedule and the last failure, which are used
  // only on the queue.
  private let queue = DispatchQueue(label: "SwiftData.StoreWatcher")
  private let timer: any DispatchSourceTimer
  private let location: StoreLocation
  private let file: URL
  private let isReadOnly: Bool
  private weak var store: DefaultStore?
  /// Held while the file is checked, so that when ``stop()`` returns, the store is released and no connection is open.
  /// Not held while listeners are notified and messages passed on, which may have their own locks. Recursive, because a
  /// check may hold the last reference to the store, whose deinitialization calls ``stop()``.
  private let lock = NSRecursiveLock()
  private var connection: Connection?
  private var identity: FileIdentity?
  private var events: FileEvents?
  private var lastCount: UInt32?
  private var isStopped = false
  private var schedule = PollingSchedule(hasEvents: false)
  private var lastFailure = ""
  /// The events since the last check: none, writes, or also created and removed files.
  private let waiting = Mutex(Waiting())

  private struct Waiting {
    var isWoken = false
    var isReplaced = false
  }

  /// Starts watching. The store reports commits from now on.
  ///
  /// - Parameter usesEvents: False disables the system's reports, as on a system without them.
  init(_ store: DefaultStore, _ file: URL, isReadOnly: Bool, usesEvents: Bool = true) {
    self.store = store
    self.file = file
    self.isReadOnly = isReadOnly
    location = store.location
    timer = DispatchSource.makeTimerSource(queue: queue)
    do { try open(store) } catch { report(error) }
    store.monitor.beginReporting()
    // Events may come before this initializer ends; the queue, which they use the schedule on, takes them afterwards.
    queue.sync {
      if usesEvents {
        events = FileEvents(of: file) { [weak self] isReplaced in self?.wake(isReplaced) }
      }
      schedule.hasEvents = events != nil
    }
    timer.setEventHandler { [weak self] in self?.check() }
    timer.schedule(deadline: .now(), leeway: .nanoseconds(0))
    timer.resume()
  }

  /// Stops watching: when this returns, the file is closed and the store isn't held any more. Waits for a running check
  /// of the file, but not for listeners that are being notified.
  func stop() {
    lock.withLock {
      isStopped = true
      timer.cancel()
      events = nil
      connection = nil
    }
  }

  /// Waits for a running check.
  package func finish() { queue.sync {} }

  private func open(_ store: DefaultStore) throws {
    let connection = try Connection(location, role: .reader, isReadOnly: isReadOnly)
    // Read before the check, so that a file that replaces it meanwhile is detected.
    identity = FileIdentity(file)
    if let identity { store.files?.recordOther(identity) }
    try store.tracker.observe(connection, isByWatcher: true)
    lastCount = connection.commitCount
    self.connection = connection
  }

  /// Called on any thread.
  private func wake(_ isReplaced: Bool) {
    let wasWoken = waiting.withLock { waiting in
      defer {
        waiting.isWoken = true
        waiting.isReplaced = waiting.isReplaced || isReplaced
      }
      return waiting.isWoken
    }
    guard !wasWoken else { return }
    queue.async { [weak self] in
      guard let self else { return }
      schedule.recordEvent(at: DispatchTime.now().uptimeNanoseconds)
      check()
    }
  }

  private func check() {
    let result = SwiftDataLog.withMessagesHeld { lock.withLock { checkFile() } }
    guard let (commits, found) = result else { return }
    for commit in found { commits.post(commit) }
    let pause = schedule.next(at: DispatchTime.now().uptimeNanoseconds)
    timer.schedule(
      deadline: .now() + .nanoseconds(Int(pause)), leeway: .nanoseconds(0))
  }

  /// Checks the file. Call it while holding the lock.
  ///
  /// - Returns: The commits to report, and the object that reports them; nil when the store no longer exists.
  private func checkFile() -> (StoreCommits, [StoreCommit])? {
    guard !isStopped, let store else { return nil }
    var found: [StoreCommit] = []
    let isReplaced = waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return waiting.isReplaced
    }
    do {
      if isReplaced { try checkIdentity(store) }
      try check(for: store, &found)
      lastFailure = ""
    } catch {
      report(error)
    }
    return (store.commits, found)
  }

  private func check(for store: DefaultStore, _ found: inout [StoreCommit]) throws {
    if connection == nil { try open(store) }
    guard let connection else { return }
    let count = connection.commitCount
    if count == nil || count != lastCount {
      if count != nil {
        try store.tracker.observe(connection, isByWatcher: true)
      } else {
        let version = try connection.integer("PRAGMA data_version") ?? 0
        if version != connection.reading.dataVersion {
          if connection.reading.dataVersion != 0 {
            try store.tracker.observe(connection, isByWatcher: true)
          }
          connection.reading.dataVersion = version
        }
      }
      lastCount = count
    }
    try store.consumeForeignCommits(on: connection, into: &found)
  }

  /// Switches to a file that has replaced the open one.
  private func checkIdentity(_ store: DefaultStore) throws {
    guard let identity, let present = FileIdentity(file), present != identity else { return }
    connection = nil
    store.readers.closeAll()
    try open(store)
  }

  /// Reports each failure once, however often it recurs.
  private func report(_ error: any Error) {
    let message = "\(error)"
    // A missing file is detected when it is used next.
    guard message != lastFailure, FileIdentity(file) != nil else { return }
    lastFailure = message
    SwiftDataLog.report(
      .warning, "SwiftData", "what others commit to \(file.path) can't be seen: \(message)")
  }
}
