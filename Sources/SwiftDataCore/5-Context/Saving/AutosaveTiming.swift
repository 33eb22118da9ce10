/// Whether and when a context with ``ModelContext/autosaveEnabled`` saves by itself.
struct AutosaveTiming {
  /// The time that a context waits for more changes before it saves, in nanoseconds.
  static let delay: UInt64 = 100_000_000

  private(set) var isEnabled = false
  /// Whether a save is scheduled, or waits for the next use of the context.
  private(set) var isScheduled = false
  /// The time at which a save is due that must wait for the next use of the context, in nanoseconds of `DispatchTime`.
  private(set) var dueTime: UInt64?
  /// Whether the last automatic save was refused and nothing has changed since.
  private(set) var isRefused = false
  /// Whether ``ModelContext/transaction(block:)`` is running, or another operation whose changes belong together.
  private(set) var isInTransaction = false

  /// Turns automatic saves on or off. A save that waits for the next use of the context is cancelled.
  mutating func enable(_ isEnabled: Bool) {
    self.isEnabled = isEnabled
    if !isEnabled, dueTime != nil {
      dueTime = nil
      isScheduled = false
    }
  }

  /// Called after a change.
  ///
  /// - Returns: Whether a save has to be scheduled. It counts as scheduled from then on.
  @inline(__always)
  mutating func schedule() -> Bool {
    guard isEnabled, !isScheduled else { return false }
    isScheduled = true
    return true
  }

  /// Lets the scheduled save wait for the next use of the context after the delay.
  mutating func wait(from now: UInt64) {
    let (due, overflow) = now.addingReportingOverflow(Self.delay)
    dueTime = overflow ? .max : due
  }

  /// Whether a save that waits for a use of the context is to be made now.
  func isDue(at now: UInt64) -> Bool {
    guard let dueTime else { return false }
    return !isInTransaction && now >= dueTime
  }

  /// Called when the scheduled save begins; the next change schedules another one.
  ///
  /// - Returns: Whether to save: a transaction saves at its end.
  mutating func begin() -> Bool {
    isScheduled = false
    dueTime = nil
    return isEnabled && !isInTransaction
  }

  mutating func refuse() { isRefused = true }

  /// Called before an edit, which may have corrected the cause of a refusal.
  mutating func retry() { isRefused = false }

  /// Begins changes that are saved together.
  ///
  /// - Returns: Whether a transaction was already running, for ``endTransaction(within:)``.
  mutating func beginTransaction() -> Bool {
    defer { isInTransaction = true }
    return isInTransaction
  }

  mutating func endTransaction(within outer: Bool) { isInTransaction = outer }
}
