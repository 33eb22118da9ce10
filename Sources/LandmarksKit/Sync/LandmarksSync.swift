/// Exchanges what device and server changed. The application knows no more of it than this.
public protocol LandmarksSync: Sendable {
  /// Sends what is pending, then takes over what the server has.
  /// - Throws: ``LandmarksError``: `serverUnavailable`, `unauthorized`, `badAnswer` or
  ///   `storeFailure`. What had been agreed before stays agreed; the rest stays pending.
  func synchronize() async throws -> SyncReport
}

/// What an exchange did.
public struct SyncReport: Hashable, Sendable {
  /// Changes that the server took.
  public var sent = 0
  /// Objects of this device that changed.
  public var received = 0
  /// Changes that the server refused; they stay on this device and pending.
  public var refused = 0
  /// Decisions that were made for the user.
  public var notices: [SyncNotice] = []

  public init() {}
}
