extension SyncMachine {
  /// The failure of an exchange that ``SyncEngine/stop()`` ended.
  static let stopped = SyncFailure(
    .suspended, "The engine was stopped before everything was exchanged. Start it again.")

  /// The activity that the engine shows.
  var activity: SyncState.Activity {
    switch pause {
    case .requested: return .paused(.requested)
    case .failure(let failure):
      return .paused(
        failure.kind == .authentication ? .authentication : .failure(failure.message))
    case nil: break
    }
    if isOffline { return .offline }
    if isPushing { return .pushing }
    if isPulling { return .pulling }
    return failure.map { .waiting($0.message) } ?? .idle
  }

  /// The reason why the engine exchanges nothing more now; nil after everything was exchanged.
  var hindrance: SyncFailure? {
    switch pause {
    case .requested: return SyncFailure(.suspended, "The engine is paused. Resume it.")
    case .failure(let failure): return failure
    case nil: break
    }
    if isStopped { return Self.stopped }
    return failure ?? (isOffline ? SyncFailure(.offline, "There is no network") : nil)
  }
}
