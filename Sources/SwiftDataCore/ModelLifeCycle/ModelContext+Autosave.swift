import Foundation

extension ModelContext {
  /// The time that a main context waits for more changes before it saves.
  static let autosaveDelay = Duration.milliseconds(100)

  /// Plans an automatic save of a main context. Other contexts have no isolation that could be entered
  /// from here, so they save when they are released.
  func scheduleAutosave() {
    guard isMain, autosaveEnabled, !isAutosaveScheduled else { return }
    isAutosaveScheduled = true
    let link = UncheckedLink(link: link)
    Task { @MainActor in
      do { try await Task.sleep(for: Self.autosaveDelay) } catch { return }
      link.link.context?.autosave()
    }
  }

  @MainActor
  private func autosave() {
    isAutosaveScheduled = false
    guard autosaveEnabled, hasChanges else { return }
    do { try save() } catch {
      StandardError.write("ModelContext: an automatic save failed, the changes stay: \(error)")
    }
  }

  private struct UncheckedLink: @unchecked Sendable {
    // Unchecked: the main context's link is only followed on the main actor.
    let link: ContextLink
  }
}
