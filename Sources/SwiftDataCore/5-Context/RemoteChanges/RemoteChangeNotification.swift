import Foundation
import Synchronization

extension ModelContainer {
  /// Posted after every commit to a store of a container, by any writer: a context or batch of the container, another
  /// container, another process, or a tool that writes the file. The object is the container; the user info has the
  /// keys of ``RemoteChangeKey``. It is posted on the thread that committed or that noticed the commit.
  ///
  /// The counterpart of Core Data's `.NSPersistentStoreRemoteChange`, an addition to Apple's interface. The first
  /// access to the name starts watching the stores of this process's containers, which costs nothing before.
  public static var remoteChange: Notification.Name {
    RemoteChangePoster.begin()
    return remoteChangeName
  }

  static let remoteChangeName = Notification.Name("NSPersistentStoreRemoteChangeNotification")

  /// Keys of the user info of ``remoteChange``; the strings are Core Data's.
  public enum RemoteChangeKey: String, Sendable {
    /// The store's identifier, a `String`.
    case storeIdentifier = "storeUUID"
    /// The position after the transaction, such as a ``DefaultHistoryToken``. Missing when the commit isn't in the
    /// history: then any model may have changed.
    case historyToken
  }

  /// Adds the container to those that post ``remoteChange``.
  package final func joinRemoteChangePosting() { RemoteChangePoster.join(self) }

  /// Removes the container when it is being released.
  final func leaveRemoteChangePosting() { RemoteChangePoster.leave(self) }

  fileprivate final func postRemoteChanges() {
    guard posting.withLock({ $0.isEmpty }) else { return }
    let subscriptions = core.stores.map { store in
      store.commits.subscribe { [weak self] commit in
        guard let self else { return }
        var userInfo: [AnyHashable: Any] = [
          RemoteChangeKey.storeIdentifier.rawValue: commit.storeIdentifier
        ]
        userInfo[RemoteChangeKey.historyToken.rawValue] = commit.token
        NotificationCenter.default.post(
          name: Self.remoteChangeName, object: self, userInfo: userInfo)
      }
    }
    // Two threads may reach this point concurrently; one set of subscriptions is enough.
    posting.withLock { if $0.isEmpty { $0 = subscriptions } }
  }
}

#if !canImport(CoreData)
  extension Notification.Name {
    /// Core Data's name of ``ModelContainer/remoteChange``, for code that was written for Core Data.
    public static var NSPersistentStoreRemoteChange: Notification.Name {
      ModelContainer.remoteChange
    }
  }
#endif

/// The containers of this process, and whether their commits are to be posted.
private enum RemoteChangePoster {
  private struct Weak: Sendable {
    weak var container: ModelContainer?
  }

  private struct State {
    var isWanted = false
    /// Whether the containers that existed when the name was accessed first are watched.
    var hasBegun = false
    var containers: [ObjectIdentifier: Weak] = [:]
  }

  private static let state = Mutex(State())
  /// Held until these are watched: connecting to a server takes a while, and another thread that accesses the name
  /// meanwhile expects the notifications of its container. Recursive, because a container that is released may run
  /// code.
  private static let beginning = NSRecursiveLock()

  static func join(_ container: ModelContainer) {
    let isWanted = state.withLock { state in
      state.containers[ObjectIdentifier(container)] = Weak(container: container)
      return state.isWanted
    }
    if isWanted { container.postRemoteChanges() }
  }

  static func leave(_ container: ModelContainer) {
    _ = state.withLock { $0.containers.removeValue(forKey: ObjectIdentifier(container)) }
  }

  static func begin() {
    guard !state.withLock({ $0.hasBegun }) else { return }
    SwiftDataLog.withMessagesHeld { beginning.withLock { beginOnce() } }
  }

  private static func beginOnce() {
    let containers = state.withLock { state -> [ModelContainer] in
      guard !state.isWanted else { return [] }
      state.isWanted = true
      return state.containers.values.compactMap(\.container)
    }
    for container in containers { container.postRemoteChanges() }
    state.withLock { $0.hasBegun = true }
  }
}
