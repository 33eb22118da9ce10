import Dispatch
import Foundation
import SwiftDataCore
import Synchronization

/// Notices what others commit to a store's file, and tells the store.
///
/// It looks when the system reports a write, see ``FileEvents``, and otherwise at the times of ``WatchPace``. It has
/// a connection of its own and a queue; both go with it.
final class StoreWatcher: @unchecked Sendable {
  // Unchecked: everything that varies is used on the queue only.
  private let queue = DispatchQueue(label: "SwiftData.StoreWatcher")
  private let timer: any DispatchSourceTimer
  private let location: StoreLocation
  private let file: URL
  private let isReadOnly: Bool
  private weak var store: DefaultStore?
  private var connection: Connection?
  private var identity: FileIdentity?
  private var events: FileEvents?
  private var pace = WatchPace(hasEvents: false)
  private var lastCount: UInt32?
  private var lastFailure = ""
  private var isStopped = false
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
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
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

  /// Ends: the file is closed when this returns. Waits for a look that is under way, which can't be one for a store
  /// that is going away, because looking keeps the store.
  func stop() {
    if DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) {
      end()
    } else {
      queue.sync { end() }
    }
  }

  private func end() {
    isStopped = true
    timer.cancel()
    events = nil
    connection = nil
  }

  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  /// Waits for what is under way.
  package func finish() { queue.sync {} }

  private func open(_ store: DefaultStore) throws {
    let connection = try Connection(location, role: .reader, isReadOnly: isReadOnly)
    // Before the look, so that a file that is put in its place meanwhile is noticed.
    identity = FileIdentity(file)
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
    guard !isStopped, let store else { return }
    let isReplaced = waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return waiting.isReplaced
    }
    do {
      if isReplaced { try checkIdentity(store) }
      try look(for: store)
      lastFailure = ""
    } catch {
      report(error)
    }
    let pause = pace.next(at: DispatchTime.now().uptimeNanoseconds)
    timer.schedule(
      deadline: .now() + .nanoseconds(Int(pause)), leeway: .nanoseconds(0))
  }

  private func look(for store: DefaultStore) throws {
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
    try store.tellOthersCommits()
  }

  /// A file that was put in the place of the one that is open.
  private func checkIdentity(_ store: DefaultStore) throws {
    guard let identity, let present = FileIdentity(file), present != identity else { return }
    connection = nil
    store.readers.closeAll()
    store.monitor.noteReplacement()
    try open(store)
  }

  /// The same failure once, however often it comes.
  private func report(_ error: any Error) {
    let message = "\(error)"
    // A file that is gone is noticed by whoever wants to use it.
    guard message != lastFailure, FileIdentity(file) != nil else { return }
    lastFailure = message
    StandardError.write("SwiftData can't see what others commit to \(file.path): \(message)")
  }
}

/// Which file a path leads to.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// nil when there is none.
  init?(_ file: URL) {
    // Not by opening it: closing it again would release the locks that SQLite has on it (fcntl(2)).
    var status = stat()
    guard stat(file.path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
