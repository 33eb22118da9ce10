import Dispatch
import Foundation

/// Automatic saves of contexts with ``ModelContext/autosaveEnabled``. Where a context can be entered from outside, on
/// the main actor or a model actor's executor, it is entered; a context that is changed on the main thread belongs to
/// the main thread. No other thread can be entered, so there the context saves when it is used the next time.
extension ModelContext {
  /// Schedules an automatic save after a change.
  func scheduleAutosave() {
    guard autosave.schedule() else { return }
    let link = UncheckedLink(link: link)
    if isMain {
      Task { @MainActor in
        do { try await Task.sleep(nanoseconds: AutosaveTiming.delay) } catch { return }
        link.link.context?.saveAutomatically()
      }
    } else if case .queue(let queue) = merging.isolation {
      queue.asyncAfter(deadline: .now() + .nanoseconds(Int(AutosaveTiming.delay))) {
        link.link.context?.saveAutomatically()
      }
    } else if MainQueue.isCurrent {
      Task { @MainActor in link.link.context?.saveAutomatically() }
    } else {
      autosave.wait(from: DispatchTime.now().uptimeNanoseconds)
    }
  }

  /// Carries out a save that is due before the context is used again, unless a transaction is being put together.
  @inline(__always)
  func autosaveIfDue() {
    if autosave.dueTime != nil { autosaveWhenDue() }
  }

  private func autosaveWhenDue() {
    guard autosave.isDue(at: DispatchTime.now().uptimeNanoseconds) else { return }
    saveAutomatically()
  }

  private func saveAutomatically() {
    guard autosave.begin(), hasChanges else { return }
    do { try save() } catch {
      autosave.refuse()
      updateRecording()
      SwiftDataLog.report(
        .error, "ModelContext", "an automatic save failed, the changes stay", error)
    }
  }

  /// Called before an edit, including edits of pending properties: the edit may have corrected the cause of a refused
  /// automatic save.
  @inline(__always)
  func retryAutosave() {
    if autosave.isRefused { scheduleRetry() }
  }

  private func scheduleRetry() {
    autosave.retry()
    updateRecording()
    scheduleAutosave()
  }

  private struct UncheckedLink: @unchecked Sendable {
    // Unchecked: the link is only followed in the context's isolation.
    let link: ContextLink
  }
}
