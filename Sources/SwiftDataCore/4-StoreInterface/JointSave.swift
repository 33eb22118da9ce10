import Foundation

/// The state shared by the saves of several stores that belong to one save of a context.
package final class JointSave {
  /// Unique to the save.
  package let identifier = UUID()
  package let date = Date.now
  /// The stores that record the save, in order; see ``PreparedSaving/jointSaveIdentifier``.
  package let stores: [String]
  private var announcements: [() -> Void] = []

  package init(stores: [String]) { self.stores = stores.sorted() }

  fileprivate func append(_ announcement: @escaping () -> Void) {
    announcements.append(announcement)
  }

  /// Announces the commits. Callbacks may call the stores again, so no store may be in a transaction.
  func announce() {
    while !announcements.isEmpty { announcements.removeFirst()() }
  }
}

extension StoreChanges {
  /// Announces the commit: immediately, or when all stores that are saved together have committed.
  package func afterCommit(_ announcement: @escaping () -> Void) {
    if let joint { joint.append(announcement) } else { announcement() }
  }
}

/// Hooks for tests of saves over several stores, for the task of the test only.
///
/// A structure, because binding a task-local value whose type is a closure crashes in optimised code of Swift 6.3.
package struct JointSaveProbe: Sendable {
  @TaskLocal private static var current: JointSaveProbe?

  /// Called with the name of a moment between statements and the name of the configuration; an error that it throws
  /// simulates a store's failure at that moment.
  private let reached: @Sendable (String) throws -> Void

  /// Runs the operation with this hook.
  package static func install<Result>(
    reached: @escaping @Sendable (String) throws -> Void, _ operation: () throws -> Result
  ) rethrows -> Result {
    try $current.withValue(JointSaveProbe(reached: reached)) { try operation() }
  }

  package static func reach(_ moment: String) throws { try current?.reached(moment) }
}

/// The save of one context over its stores: all of them have written their changes before the first one commits.
final class StoreSaves {
  struct Part {
    let capabilities: StoreCapabilities
    let changes: StoreChanges
    /// nil before the commit.
    var outcome: StoreSaveOutcome?

    var store: any RowStore { capabilities.store }
  }

  /// In the order of the container's stores.
  private(set) var parts: [Part]
  private let joint: JointSave?

  /// - Throws: ``SwiftDataError/modelValidationFailure`` when more than one of the stores can't prepare saves.
  init(_ parts: [(store: StoreCapabilities, changes: StoreChanges)]) throws {
    let whole = parts.filter { $0.store.preparedSaves == nil }
    guard parts.count > 1 else {
      joint = nil
      self.parts = parts.map { Part(capabilities: $0.store, changes: $0.changes) }
      return
    }
    guard whole.count < 2 else {
      throw SwiftDataError.modelValidationFailure.explained(
        "A save can't change models of more than one custom store: \(Self.names(whole.map(\.store.store)))."
          + " A custom store writes at once, so the save couldn't be all or nothing. Save after the"
          + " changes to each.")
    }
    let joint = JointSave(stores: parts.compactMap { $0.store.preparedSaves?.jointSaveIdentifier })
    self.joint = joint
    self.parts = parts.map { part in
      var changes = part.changes
      changes.joint = joint
      return Part(capabilities: part.store, changes: changes)
    }
  }

  /// Writes to all stores and commits. Every save goes through the stores in the same order, which prevents deadlocks.
  /// A custom store is the last one. What it calls while another thread uses it may save to the other stores, and would
  /// wait for this save: then this one lets go of them, and begins again when the custom store is free.
  ///
  /// - Throws: The error of the store that failed. No store has committed then, except those in ``committed``.
  func run() throws {
    let order = parts.indices.sorted { left, right in
      let (left, right) = (parts[left].capabilities, parts[right].capabilities)
      let isPrepared = left.preparedSaves != nil
      if isPrepared != (right.preparedSaves != nil) { return isPrepared }
      return left.store.identifier < right.store.identifier
    }
    let exclusive = parts.lazy.compactMap(\.capabilities.exclusiveUse).first
    guard parts.count > 1, let exclusive else { return try run(order[...]) }
    do { return try run(order[...], lastIfFree: exclusive) } catch is InUse {}
    try SwiftDataLog.withMessagesHeld { try exclusive.withExclusiveUse { try run(order[...]) } }
  }

  /// Another thread uses the custom store.
  private struct InUse: Error {}

  /// - Parameter exclusive: The last store, when it mustn't be waited for.
  private func run(
    _ order: ArraySlice<Int>, lastIfFree exclusive: (any ExclusiveUse)? = nil
  ) throws {
    guard let first = order.first else { return }
    let rest = order.dropFirst()
    if rest.isEmpty, let exclusive {
      let result: Void? = try exclusive.withExclusiveUseIfFree { try run(order) }
      if result == nil { throw InUse() }
      return
    }
    let (store, changes) = (parts[first].store, parts[first].changes)
    // The store that is written last commits first; the others keep their transactions open meanwhile.
    let outcome =
      try store.save(
        changes, beforeCommit: rest.isEmpty ? nil : { try self.run(rest, lastIfFree: exclusive) })
    parts[first].outcome = outcome
  }

  /// The stores that have committed.
  var committed: [Part] { parts.filter { $0.outcome != nil } }

  /// Must be called when the stores are no longer in use.
  func announce() { joint?.announce() }

  /// Returns the error to throw when stores had committed before another one failed.
  func failure(_ error: any Error) -> any Error {
    guard !committed.isEmpty else { return error }
    let missing = parts.filter { $0.outcome == nil }.map(\.store)
    return SwiftDataError.incompleteSave.explained(
      "The save is stored in \(Self.names(committed.map(\.store))), but not in \(Self.names(missing)),"
        + " which couldn't commit: \(error) What isn't stored is still unsaved; save again.")
  }

  private static func names(_ stores: [any RowStore]) -> String {
    stores.map(\.configurationName).joined(separator: ", ")
  }
}

extension SwiftDataError {
  /// A save over several stores is stored in some of them only, because another one failed while committing. An
  /// addition to Apple's interface.
  public static let incompleteSave = SwiftDataError.code(
    "incompleteSave", "A save over several stores is stored in some of them only.")
}
