import Foundation
import SwiftData

/// The user of the server whose data the store has.
@Model
final class StoredOwner {
  var user: String
  /// The server's identifier; nil when the server doesn't tell it.
  var server: String?

  init(_ owner: StoreOwner) {
    user = owner.user
    server = owner.server
  }
}

/// A user of a server.
public struct StoreOwner: Hashable, Sendable {
  /// The user's name.
  public var user: String
  /// The server's identifier, which stays when its address changes; nil when the server doesn't tell it.
  public var server: String?

  public init(user: String, server: String?) {
    self.user = user
    self.server = server
  }

  /// Returns whether a store of this user may be exchanged as another one's.
  public func isSame(as other: StoreOwner) -> Bool {
    guard user == other.user else { return false }
    guard let server, let theirs = other.server else { return true }
    return server == theirs
  }
}

extension LandmarkStore {
  /// Returns the user whose data the store has; nil as long as nobody has signed in.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func owner() throws -> StoreOwner? {
    try working("read") { context in
      try context.fetch(FetchDescriptor<StoredOwner>()).first
        .map { StoreOwner(user: $0.user, server: $0.server) }
    }
  }

  /// Records whose data the store has.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func setOwner(_ owner: StoreOwner) throws {
    try editing { context in
      if let known = try context.fetch(FetchDescriptor<StoredOwner>()).first {
        known.user = owner.user
        known.server = owner.server ?? known.server
      } else {
        context.insert(StoredOwner(owner))
      }
    }
  }
}
