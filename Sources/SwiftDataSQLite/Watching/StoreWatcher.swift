import Dispatch
import Foundation
import SwiftDataCore
import Synchronization

/// Notices what others commit to a store's file, and tells the store.
///
/// It looks when the system reports a write, see ``FileEvents``, and otherwise at the times of ``WatchPace``. It has
/// a connection of its own and a queue; both go with it.
final class StoreWatcher: @unchecked Sendable {
  // Unchecked: everything that varies is used under the lock only, but for the pace and the last failure, which are the
  // queue's.
  private let queue = DispatchQueue(label: "SwiftData.StoreWatcher")
  private let timer: any DispatchSourceTimer
  private let location: StoreLocation
  private let file: URL
  private let isReadOnly: Bool
  private weak var store: DefaultStore?
  /// Held while the file is looked at, so that ``stop()`` knows when the store is let go of and no connection is open;
  /// not held while listeners are told, who may have locks of their own. Recursive, because a look that keeps the store
  /// longest ends it, and with it itself.
  private let lock = NSRecursiveLock()
  private var connection: Connection?
  private var identity: FileIdentity?
  private var events: FileEvents?
  private var lastCount: UInt32?
  private var isStopped = false
  private var pace = WatchPace(hasEvents: false)
  private var lastFailure = ""
  /// Events that came since the last look: none, writes, or also files that came and went.
  private let waiting = Mutex(Waiting())

  private struct Waiting {
    var isWoken = false
    var isReplaced = false
  }

  /// Begins. The store tells what is committed from now on.
  ///
  /// - Parameter usesEvents: False does without the system's reports, as on a system that has none.
  init(_ store: DefaultStore, _ file: URL, isReadOnly: Bool, usesEvents: Bool = true) {
    self.store = store
    self.file = file
    self.isReadOnly = isReadOnly
    location = store.location
    timer = DispatchSource.makeTimerSource(queue: queue)
    do { try open(store) } catch { report(error) }
    store.monitor.beginTelling()
    if usesEvents {
      events = FileEvents(of: file) { [weak self] isReplaced in self?.wake(isReplaced) }
    }
    pace.hasEvents = events != nil
    timer.setEventHandler { [weak self] in self?.look() }
    timer.schedule(deadline: .now(), leeway: .nanoseconds(0))
    timer.resume()
  }

  /// Ends: when this returns, the file is closed and the store isn't held any more. Waits for a look at the file that is
  /// under way, and not for listeners who are being told.
  func stop() {
    lock.withLock {
      isStopped = true
      timer.cancel()
      events = nil
      connection = nil
    }
  }

  /// Waits for what is under way.
  package func finish() { queue.sync {} }

  private func open(_ store: DefaultStore) throws {
    let connection = try Connection(location, role: .reader, isReadOnly: isReadOnly)
    // Before the look, so that a file that is put in its place meanwhile is noticed.
    identity = FileIdentity(file)
    if let identity { store.files?.noteOther(identity) }
    store.monitor.observe(try connection.sighting(hasHistory: store.hasHistory))
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
      pace.noteEvent(at: DispatchTime.now().uptimeNanoseconds)
      look()
    }
  }

  private func look() {
    guard let (commits, found) = lock.withLock({ lookAtFile() }) else { return }
    for commit in found { commits.post(commit) }
    let pause = pace.next(at: DispatchTime.now().uptimeNanoseconds)
    timer.schedule(
      deadline: .now() + .nanoseconds(Int(pause)), leeway: .nanoseconds(0))
  }

  /// Under the lock.
  ///
  /// - Returns: What is to be told, and by whom; nil when there is no store any more.
  private func lookAtFile() -> (StoreCommits, [StoreCommit])? {
    guard !isStopped, let store else { return nil }
    var found: [StoreCommit] = []
    let isReplaced = waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return waiting.isReplaced
    }
    do {
      if isReplaced { try checkIdentity(store) }
      try look(for: store, &found)
      lastFailure = ""
    } catch {
      report(error)
    }
    return (store.commits, found)
  }

  private func look(for store: DefaultStore, _ found: inout [StoreCommit]) throws {
    if connection == nil { try open(store) }
    guard let connection else { return }
    let count = connection.commitCount
    if count == nil || count != lastCount {
      if count != nil {
        store.monitor.observe(try connection.sighting(hasHistory: store.hasHistory))
      } else {
        let version = try connection.integer("PRAGMA data_version") ?? 0
        if version != connection.dataVersion {
          if connection.dataVersion != 0 {
            store.monitor.observe(try connection.sighting(hasHistory: store.hasHistory))
          }
          connection.dataVersion = version
        }
      }
      lastCount = count
    }
    try store.takeOthersCommits(on: connection, into: &found)
  }

  /// A file that was put in the place of the one that is open.
  private func checkIdentity(_ store: DefaultStore) throws {
    guard let identity, let present = FileIdentity(file), present != identity else { return }
    connection = nil
    store.readers.closeAll()
    try open(store)
  }

  /// The same failure once, however often it comes.
  private func report(_ error: any Error) {
    let message = "\(error)"
    // A file that is gone is noticed by whoever wants to use it.
    guard message != lastFailure, FileIdentity(file) != nil else { return }
    lastFailure = message
    SwiftDataLog.report(
      .warning, "SwiftData", "what others commit to \(file.path) can't be seen: \(message)")
  }
}
