extension SyncMachine {
  /// A change in flight. Changes with the same unit are sent together or not at all.
  package struct Item: Hashable, Sendable {
    package var id: String
    package var unit: Int64

    package init(id: String, unit: Int64) {
      self.id = id
      self.unit = unit
    }
  }

  /// An event.
  package enum Input: Sendable {
    /// Another author saved.
    case edited
    /// The caller wants pending edits sent and the server's changes fetched now, also after ``stop``.
    case pullRequested
    case connectivity(Bool)
    /// New credentials are available, or the user wants to continue.
    case resume
    case pause
    /// Nothing may be exchanged until ``start`` or ``pullRequested``.
    case stop
    /// Exchanges may begin again; edits may have been saved meanwhile.
    case start
    /// The time of ``Action/wait(until:)`` has been reached.
    case timer
    /// The changes in flight after ``Action/prepare(limit:)``.
    case prepared([Item])
    /// The changes that remain in flight after the outcomes of a push were applied or a change was quarantined. It is
    /// progress when the server has accepted or rejected a change; a conflict is not.
    case settled([Item], isProgress: Bool = true)
    case pushFailed(SyncFailure)
    /// A push failed before anything reached the server; contains the changes that remain in flight.
    case unsent([Item], SyncFailure)
    /// A page was applied. It is progress when the page contained anything new.
    case pulled(hasMore: Bool, isProgress: Bool = true)
    case pullFailed(SyncFailure)
    /// The running exchange has transferred a whole attachment for the first time. If it fails nevertheless, the pause
    /// is that of a first failure.
    case transferred
    /// A probe has ended; nil when the server responded with a page.
    case probed(SyncFailure?)
    case comparisonBegun
    /// The local store fails: the engine stops until ``resume``.
    case broken(SyncFailure)
  }

  /// An action. There is at most one action at a time besides waiting.
  package enum Action: Equatable, Sendable {
    /// Put the next edits in flight.
    case prepare(limit: Int)
    /// Send these of the changes in flight.
    case push([String])
    /// Park changes in flight.
    case park([String], SyncQuarantine.Reason)
    case pull
    /// Pull without applying the result: this distinguishes a server with a general problem from a change that causes
    /// it.
    case probe
    case beginComparison
    /// Do nothing until then, unless there is an input; nil for no time.
    case wait(until: Duration?)
  }

  /// The reason why nothing is exchanged until there is an input.
  package enum Pause: Hashable, Sendable {
    case requested
    case failure(SyncFailure)
  }
}
