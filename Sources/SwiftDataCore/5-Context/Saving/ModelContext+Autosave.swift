import Dispatch
import Foundation

/// Automatic saves of contexts with ``ModelContext/autosaveEnabled``. Where a context can be entered from outside, on
/// the main actor or a model actor's executor, it is entered; a context that is changed on the main thread belongs to
/// the main thread. No other thread can be entered, so there the context saves when it is used the next time.
extension ModelContext {
  /// The time that a context waits for more changes before it saves.
  static let autosaveDelay = Duration.milliseconds(100)
  private static let autosaveNanoseconds: UInt64 = 100_000_000

  /// Schedules an automatic save after a change.
  func scheduleAutosave() {
    guard autosaveEnabled, !isAutosaveScheduled else { return }
    isAutosaveScheduled = true
    let link = UncheckedLink(link: link)
    if isMain {
      Task { @MainActor in
        do { try await Task.sleep(for: Self.autosaveDelay) } catch { return }
        link.link.context?.autosave()
      }
    } else if case .queue(let queue) = merging.isolation {
      queue.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.autosaveNanoseconds))) {
        link.link.context?.autosave()
      }
    } else if MainQueue.isCurrent {
      Task { @MainActor in link.link.context?.autosave() }
    } else {
      let (due, overflow) = DispatchTime.now().uptimeNanoseconds
        .addingReportingOverflow(Self.autosaveNanoseconds)
      autosaveTime = overflow ? .max : due
    }
  }

  /// Carries out a save that is due before the context is used again, unless a transaction is being put together.
  @inline(__always)
  func autosaveIfDue() {
    if autosaveTime != nil { autosaveWhenDue() }
  }

  private func autosaveWhenDue() {
    guard let autosaveTime, !isInTransaction,
      DispatchTime.now().uptimeNanoseconds >= autosaveTime
    else { return }
    autosave()
  }

  private func autosave() {
    // A transaction saves at its end.
    isAutosaveScheduled = false
    autosaveTime = nil
    guard autosaveEnabled, hasChanges, !isInTransaction else { return }
    do { try save() } catch {
      isAutosaveRefused = true
      updateRecording()
      SwiftDataLog.report(
        .error, "ModelContext", "an automatic save failed, the changes stay", error)
    }
  }

  /// Called before an edit, including edits of pending properties: the edit may have corrected the cause of a refused
  /// automatic save.
  @inline(__always)
  func retryAutosave() {
    if isAutosaveRefused { scheduleRetry() }
  }

  private func scheduleRetry() {
    isAutosaveRefused = false
    updateRecording()
    scheduleAutosave()
  }

  private struct UncheckedLink: @unchecked Sendable {
    // Unchecked: the link is only followed in the context's isolation.
    let link: ContextLink
  }
}
