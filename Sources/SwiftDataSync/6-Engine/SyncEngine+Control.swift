extension SyncEngine {
  /// Suspends all exchanges until ``resume()``.
  public func pause() { tell(.pause) }

  /// Continues after a pause, for example with new credentials, or after the user has fixed a problem or wants to
  /// continue.
  public func resume() { tell(.resume) }

  /// Reports the system's network state; without these reports, the engine detects it by trying.
  public func setOnline(_ isOnline: Bool) { tell(.connectivity(isOnline)) }

  /// Sends quarantined edits again.
  ///
  /// - Parameter objects: The objects whose edits are sent; nil for all.
  /// - Throws: The store's error.
  public func retryQuarantined(_ objects: Set<SyncObjectID>? = nil) throws {
    try ledger.retryQuarantined(objects)
    tell(.edited)
  }
}
